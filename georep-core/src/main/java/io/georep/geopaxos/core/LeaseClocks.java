package io.georep.geopaxos.core;

import io.georep.consensus.LogTiming;
import io.georep.protocol.ClockComparison;
import io.georep.protocol.Turn;

/** Compares the clocks of this node over a lease at a time, to find out whether the machine was suspended. */
final class LeaseClocks {
    /** Clocks are read one after the other, and the wall clock tells milliseconds. */
    private static final long ERROR_NANOS_MIN = 5_000_000;

    private final LogTiming timing;

    /** Replaced with each comparison. Other threads look at the one of the turn before. */
    private ClockComparison present = new ClockComparison();

    LeaseClocks(LogTiming timing, Turn turn) {
        this.timing = timing;
        compareFrom(turn);
    }

    ClockComparison present() {
        return present;
    }

    /** Returns whether the clocks have parted since it was asked last. */
    boolean look(Turn turn) {
        boolean parted = present.parted(turn.now(), turn.wallMillis());
        if (parted || present.isOld(turn.now())) {
            compareFrom(turn);
        }
        return parted;
    }

    /** By an error after which leases may seem longer by half of the drift. */
    private void compareFrom(Turn turn) {
        long error = Math.max(ERROR_NANOS_MIN, timing.drift() / 4);
        present = new ClockComparison();
        present.compareFrom(turn.now(), turn.wallMillis(), timing.lease(), error);
    }
}
