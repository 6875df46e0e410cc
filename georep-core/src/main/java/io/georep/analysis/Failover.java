package io.georep.analysis;

import java.math.BigInteger;

/**
 * Who adopts an entry when links and nodes fail and stay failed: an exact formula for what the failover rule leads to
 * (rule 6.6 of the protocol, paper Sections II-C and IV).
 *
 * <p>Nodes are numbered 0 to n - 1, at most {@value #NODES_MAX}; a set of nodes is a {@code long} whose bit i stands for
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
 * sign is the caller's choice, see {@link #hears}. Methods allocate nothing but their answers: fit to be called for every
 * one of a million cases.
 */
public final class Failover {
    /** Most nodes a set can hold. */
    public static final int NODES_MAX = 64;

    private Failover() {}

    /**
     * Turns a reachability matrix into sets.
     *
     * @param arrives {@code arrives[i][j]}: frames from node i arrive at node j
     * @return element i is the set of nodes at which frames from i arrive
     */
    public static long[] sets(boolean[][] arrives) {
        int n = Check.between("number of nodes", arrives.length, 0, NODES_MAX);
        long[] sets = new long[n];
        for (int i = 0; i < n; i++) {
            Check.that(
                    arrives[i].length == n,
                    "row " + i + " of the matrix has " + arrives[i].length + " columns, it needs " + n);
            for (int j = 0; j < n; j++) {
                sets[i] |= arrives[i][j] ? 1L << j : 0;
            }
        }
        return sets;
    }

    /**
     * Whom each node gets life signs of, as far as links decide.
     *
     * @param arrives element i is the set of nodes at which frames from i arrive
     * @param answersOnly false: any frame is a life sign, asked for or not (what this library does). True: only an answer
     *     is, so both directions are needed; it is also where nodes end up that stop sending to peers they gave up
     * @return element j is the set of nodes j gets life signs of
     */
    public static long[] hears(long[] arrives, boolean answersOnly) {
        int n = Check.between("number of nodes", arrives.length, 0, NODES_MAX);
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
        long before = owner(order, 0, hears, 0);
        for (int k = 1; k < order.length; k++) {
            long self = owner(order, k, hears, before);
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
        int pairs = Check.between("f", f, 0, NODES_MAX - 1) * (f + 1) / 2;
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
        Check.between("f", f, 0, NODES_MAX - 1);
        long places = (f == NODES_MAX - 1 ? -1L : (1L << (f + 1)) - 1) & ~1L;
        Check.that(
                (adopters & ~places) == 0,
                "adopters 0x" + Long.toHexString(adopters) + " has places outside 1 to f = " + f);
        BigInteger product = BigInteger.ONE;
        for (int k = 1; k <= f; k++) {
            if ((adopters >>> k & 1) == 0) {
                product = product.multiply(BigInteger.ONE.shiftLeft(k).subtract(BigInteger.ONE));
            }
        }
        return product;
    }

    /** The owner at a place as a set, checked; messages are put together only when needed, for this is called often. */
    private static long owner(int[] order, int place, long[] hears, long before) {
        if (order.length == 0) {
            throw new IllegalArgumentException("order is empty, an entry has at least one owner");
        }
        int node = order[place];
        if (node < 0 || node >= hears.length) {
            throw new IllegalArgumentException(
                    "order names node " + node + ", there are " + hears.length + " nodes, numbered from 0");
        }
        if ((before >>> node & 1) != 0) {
            throw new IllegalArgumentException("order names node " + node + " twice, owners differ");
        }
        return 1L << node;
    }
}
