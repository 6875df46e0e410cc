package io.georep.flagons.core;

import java.util.Arrays;

/** Compares the wall clock of this node with those of the nodes it hears: the one that is off must be its own. */
final class PeerClocks {
    private static final int KEPT = 16;
    private static final int ENOUGH = 5;

    private final long bound;
    private final long[] offsets = new long[KEPT];
    private long heard;

    PeerClocks(long bound) {
        this.bound = bound;
    }

    void heard(long theirWall, long ownWall) {
        offsets[(int) (heard++ % KEPT)] = theirWall - ownWall;
    }

    /** Returns whether the median of the others differs from the own clock by more than the bound. */
    boolean isOff() {
        if (heard < ENOUGH) {
            return false;
        }
        long[] sorted = Arrays.copyOf(offsets, (int) Math.min(heard, KEPT));
        Arrays.sort(sorted);
        return Math.abs(sorted[sorted.length / 2]) > bound;
    }
}
