package io.georep.analysis;

import java.math.BigInteger;

/**
 * Who adopts an entry when links and nodes fail and stay failed: an exact formula for what the failover rule leads to
 * (rule 6.6 of the protocol, paper Sections II-C and IV).
 *
 * <p>Nodes are numbered 0 to n - 1, at most 64; a set of nodes is a {@code long} whose bit i stands for
 * node i. An entry's {@code order} names its owners: the first forwards, the others adopt in turn. With o_k for the owner
 * at place k:
 *
 * <pre>
 * adopt(o_k)  ⇔  k ≥ 1, o_k is up and not released, and
 *                for all m &lt; k: o_m is released, or o_k gets no life sign of o_m
 * forwarders  =  {o_0 if up and not released} ∪ {o_k : adopt(o_k)}
 * </pre>
 *
 * <p>"Released" owners no longer have a copy, or have ceded it and stand at the end of the order. What counts as a life
 * sign is the caller's choice, see {@link #hears}. Methods allocate nothing but what they return: fit to be called for every
 * one of a million cases.
 */
public final class Failover {
    private Failover() {}

    /**
     * Whom each node gets life signs of, as far as links decide.
     *
     * @param arrives element i is the set of nodes at which frames from i arrive
     * @param answersOnly false: any frame is a life sign, asked for or not (what this library does). True: only an answer
     *     is, so both directions are needed; it is also where nodes end up that stop sending to peers they gave up
     * @return element j is the set of nodes j gets life signs of
     */
    public static long[] hears(long[] arrives, boolean answersOnly) {
        int n = arrives.length;
        long[] hears = new long[n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                boolean there = (arrives[i] >>> j & 1) != 0;
                boolean back = (arrives[j] >>> i & 1) != 0;
                hears[j] |= i != j && there && (back || !answersOnly) ? 1L << i : 0;
            }
        }
        return hears;
    }

    /**
     * The owners that adopt.
     *
     * @param order the owners, first the one that forwards; f + 1 different nodes
     * @param hears element j is the set of nodes j gets life signs of; see {@link #hears}
     * @param crashed nodes that are down, owners or not
     * @param released owners that have no copy any more, or ceded it
     */
    public static long adopters(int[] order, long[] hears, long crashed, long released) {
        long adopters = 0;
        long before = 1L << order[0];
        for (int k = 1; k < order.length; k++) {
            long self = 1L << order[k];
            long blocking = before & ~crashed & ~released & hears[order[k]];
            adopters |= (self & (crashed | released)) == 0 && blocking == 0 ? self : 0;
            before |= self;
        }
        return adopters;
    }

    /** The owners that forward the entry: the first one, if it is up and not released, and all adopters. */
    public static long forwarders(int[] order, long[] hears, long crashed, long released) {
        long adopters = adopters(order, hears, crashed, released);
        long first = 1L << order[0];
        return (first & (crashed | released)) == 0 ? adopters | first : adopters;
    }

    /**
     * Number of distinct situations of one entry: each owner but the first hears, or does not hear, each one before it, so
     * 2^(f(f+1)/2).
     *
     * @param f failures survived, at least 0
     */
    public static BigInteger viewCases(int f) {
        int pairs = f * (f + 1) / 2;
        return BigInteger.ONE.shiftLeft(pairs);
    }

    /**
     * Number of those situations in which exactly these owners adopt: the product of 2^k - 1 over all places k from 1 to f
     * that do not adopt.
     *
     * @param f failures survived, at least 0
     * @param adopters places in the order that adopt, bit k for place k, out of 1 to f
     */
    public static BigInteger viewCases(int f, long adopters) {
        BigInteger product = BigInteger.ONE;
        for (int k = 1; k <= f; k++) {
            if ((adopters >>> k & 1) == 0) {
                product = product.multiply(BigInteger.ONE.shiftLeft(k).subtract(BigInteger.ONE));
            }
        }
        return product;
    }
}
