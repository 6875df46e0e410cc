package io.georep.analysis;

/**
 * Yield (paper, Section III-A): the probability that a producer finds enough live nodes to accept an entry, when each of
 * n nodes is up with probability p, independently of the others. Both tails are summed term by term, so an
 * unavailability of 1e-17 keeps its digits; computed as 1 - yield it would be 0.
 */
final class Yield {
    private Yield() {}

    /**
     * Probability that at least f + 1 of n nodes are up.
     *
     * @param n nodes
     * @param f failures survived, at least 0
     * @param p probability that a node is up, 0 to 1
     */
    static double geoRep(int n, int f, double p) {
        return atLeast(n, f + 1, p);
    }

    /** Probability that a GeoRep cluster accepts nothing: at most f of n nodes are up. */
    static double geoRepUnavailability(int n, int f, double p) {
        return below(n, f + 1, p);
    }

    /** Probability that more than half of n nodes are up. */
    static double majority(int n, double p) {
        return atLeast(n, n / 2 + 1, p);
    }

    /** Probability that at most half of n nodes are up. */
    static double majorityUnavailability(int n, double p) {
        return below(n, n / 2 + 1, p);
    }

    private static double atLeast(int n, int needed, double p) {
        return sum(n, needed, n, p);
    }

    private static double below(int n, int needed, double p) {
        return needed > n ? 1 : sum(n, 0, needed - 1, p);
    }

    /** Probability that between {@code from} and {@code to} of n nodes are up. */
    private static double sum(int n, int from, int to, double p) {
        double sum = 0;
        for (int k = from; k <= to; k++) {
            sum += exactly(n, k, p);
        }
        return Math.min(1, sum);
    }

    /** C(n, k) p^k q^(n-k), with factors ordered so that no intermediate result leaves the range of double. */
    private static double exactly(int n, int k, double p) {
        double q = 1 - p;
        double product = 1;
        int ups = k;
        int downs = n - k;
        for (int i = 1; i <= Math.min(k, n - k); i++) {
            product *= (double) (n - Math.min(k, n - k) + i) / i;
            while (product > 1 && ups + downs > 0) {
                product *= ups > 0 ? p : q;
                if (ups > 0) {
                    ups--;
                } else {
                    downs--;
                }
            }
        }
        return product * Math.pow(p, ups) * Math.pow(q, downs);
    }
}
