package io.georep.simulation;

import java.util.ArrayList;
import java.util.List;

/** Small directed graphs, one bit for each ordered pair of different nodes. */
final class Digraphs {
    private Digraphs() {}

    private static int bit(int n, int from, int to) {
        return from * (n - 1) + (to > from ? to - 1 : to);
    }

    /** Every order of the numbers from 0 to n - 1. */
    static List<int[]> permutations(int n) {
        List<int[]> all = new ArrayList<>();
        permute(new int[n], 0, all);
        return all;
    }

    private static void permute(int[] order, int place, List<int[]> all) {
        if (place == order.length) {
            all.add(order.clone());
            return;
        }
        for (int node = 0; node < order.length; node++) {
            boolean free = true;
            for (int i = 0; i < place; i++) {
                free &= order[i] != node;
            }
            if (free) {
                order[place] = node;
                permute(order, place + 1, all);
            }
        }
    }

    /** The smallest of all graphs that differ from this one by the names of nodes only. */
    static int canonical(int n, int bits) {
        int least = Integer.MAX_VALUE;
        for (int[] names : permutations(n)) {
            int renamed = 0;
            for (int from = 0; from < n; from++) {
                for (int to = 0; to < n; to++) {
                    if (from != to && (bits >> bit(n, from, to) & 1) != 0) {
                        renamed |= 1 << bit(n, names[from], names[to]);
                    }
                }
            }
            least = Math.min(least, renamed);
        }
        return least;
    }

    /** At which of n nodes frames arrive, if the first so many are connected by this graph and the others are not. */
    static long[] arrives(int n, int connected, int bits) {
        long[] arrives = new long[n];
        for (int from = 0; from < connected; from++) {
            for (int to = 0; to < connected; to++) {
                if (from != to && (bits >> bit(connected, from, to) & 1) != 0) {
                    arrives[from] |= 1L << to;
                }
            }
        }
        return arrives;
    }
}
