package io.georep.analysis;

import java.math.BigInteger;

/**
 * Counts of node sets (paper, Section III-A). A node set is a set of nodes that can talk to each other; n nodes have 2^n
 * of them. GeoRep can accept an entry in every set of at least f + 1 nodes, a majority protocol in every set of more than
 * n / 2. The ratio of two counts compares availability only when each node is up half of the time; for other node
 * availabilities use {@link Yield}.
 */
final class NodeSets {
    private NodeSets() {}

    /** All node sets: 2^n (equation 2). */
    static BigInteger total(int n) {
        return BigInteger.ONE.shiftLeft(n);
    }

    /**
     * Node sets in which GeoRep accepts entries: 2^n minus the sum of C(n, k) for k = 0..f. This is equation (8) with its
     * upper bound corrected: it prints f - 1, but a set of f nodes is one too small. For f = 1 it is equation (3).
     *
     * @param n nodes
     * @param f failures survived, at least 0; the answer is 0 when f is n or more
     */
    static BigInteger usable(int n, int f) {
        BigInteger tooSmall = BigInteger.ZERO;
        BigInteger binomial = BigInteger.ONE;
        for (int k = 0; k <= Math.min(f, n); k++) {
            tooSmall = tooSmall.add(binomial);
            binomial = binomial.multiply(BigInteger.valueOf(n - k)).divide(BigInteger.valueOf(k + 1L));
        }
        return total(n).subtract(tooSmall);
    }

    /**
     * Node sets in which a majority protocol can write: 2^(n-1) for odd n (equation 4), 2^(n-1) - C(n, n/2) / 2 for even
     * n. The latter is equation (5) corrected: it subtracts all sets of exactly half of the nodes, but only half of those
     * are among the 2^(n-1).
     */
    static BigInteger majority(int n) {
        return usable(n, n / 2);
    }

    /**
     * Usable sets per majority set, {@link #usable} / {@link #majority}: 2 - (n + 1) / 2^(n-1) for odd n and f = 1
     * (equation 7). Above 1 exactly if f is below n / 2 rounded down, 1 if they are equal, below 1 otherwise. For even n
     * from 4 on it exceeds 2, at most 2.656 (n = 8, f = 1).
     */
    static double ratio(int n, int f) {
        return new java.math.BigDecimal(usable(n, f))
                .divide(new java.math.BigDecimal(majority(n)), java.math.MathContext.DECIMAL64)
                .doubleValue();
    }
}
