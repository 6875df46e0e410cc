package io.georep.flagons.core;

/** What a node has counted since it started. */
public final class FleetCounters {
    long balls;
    long copies;
    long refused;
    long holes;
    long repaired;
    long shuffles;
    long answers;

    /** Creates counters at zero. */
    FleetCounters() {}

    /** Returns how many balls were sent. */
    public long balls() {
        return balls;
    }

    /** Returns how many copies of events were received. */
    public long copies() {
        return copies;
    }

    /** Returns how many events were refused, because of their times or their number. */
    public long refused() {
        return refused;
    }

    /** Returns how many events came too late for their place. */
    public long holes() {
        return holes;
    }

    /** Returns how many events came by the comparison with others only. */
    public long repaired() {
        return repaired;
    }
}
