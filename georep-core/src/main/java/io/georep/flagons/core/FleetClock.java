package io.georep.flagons.core;

/**
 * The clock that gives events their places. In the hardened profile it is hybrid: the wall clock in milliseconds and a
 * counter, never behind what was seen. In the profile of the paper it counts.
 */
final class FleetClock {
    private static final int COUNTER_BITS = 16;

    private final boolean hybrid;
    private long latest;

    FleetClock(boolean hybrid) {
        this.hybrid = hybrid;
    }

    /** Returns the time of a new event of this node. */
    long tick(long wallMillis) {
        latest = hybrid ? Math.max(latest + 1, timeOf(wallMillis)) : latest + 1;
        return latest;
    }

    void saw(long time) {
        latest = Math.max(latest, time);
    }

    /** Forgets times that were wrong. */
    void setBack(long wallMillis) {
        latest = timeOf(wallMillis);
    }

    long latest() {
        return latest;
    }

    static long timeOf(long wallMillis) {
        return wallMillis << COUNTER_BITS;
    }

    static long millisOf(long time) {
        return time >> COUNTER_BITS;
    }
}
