package io.georep.analysis;

import java.util.ArrayList;
import java.util.List;

/** Reachability matrices for the failover tests; row i is the set of nodes at which frames from i arrive. */
final class Matrices {
    private Matrices() {}

    /** Every matrix of n nodes. */
    static Iterable<long[]> all(int n) {
        int pairs = n * (n - 1);
        return () -> java.util.stream.IntStream.range(0, 1 << pairs)
                .mapToObj(bits -> ofBits(n, bits))
                .iterator();
    }

    private static long[] ofBits(int n, int bits) {
        long[] arrives = new long[n];
        int bit = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (i != j) {
                    arrives[i] |= (bits >> bit++ & 1) != 0 ? 1L << j : 0;
                }
            }
        }
        return arrives;
    }

    static long[] full(int n) {
        return blocked(n, 0, 0);
    }

    /** Everything arrives but what these nodes send, and what is sent to those. */
    static long[] blocked(int n, long senders, long receivers) {
        long[] arrives = new long[n];
        for (int i = 0; i < n; i++) {
            boolean silent = (senders >>> i & 1) != 0;
            arrives[i] = silent ? 0 : ((1L << n) - 1) & ~(1L << i) & ~receivers;
        }
        return arrives;
    }

    /** Nodes reach each other exactly within their block. */
    static long[] connected(int n, long[] blocks) {
        long[] arrives = new long[n];
        for (long block : blocks) {
            for (int i = 0; i < n; i++) {
                arrives[i] |= (block >>> i & 1) != 0 ? block & ~(1L << i) : 0;
            }
        }
        return arrives;
    }

    /** Every way to split n nodes into blocks. */
    static List<long[]> partitions(int n) {
        List<long[]> partitions = new ArrayList<>();
        partitions.add(new long[] {});
        for (int node = 0; node < n; node++) {
            List<long[]> wider = new ArrayList<>();
            for (long[] blocks : partitions) {
                for (int b = 0; b <= blocks.length; b++) {
                    long[] grown = java.util.Arrays.copyOf(blocks, Math.max(blocks.length, b + 1));
                    grown[b] |= 1L << node;
                    wider.add(grown);
                }
            }
            partitions = wider;
        }
        return partitions;
    }

    /** Owners 0 to f in the order of their numbers. */
    static int[] order(int f) {
        return java.util.stream.IntStream.rangeClosed(0, f).toArray();
    }

    /** The set of these owners. */
    static long owners(int f) {
        return (1L << (f + 1)) - 1;
    }
}
