package io.georep.outbox.core;

/**
 * Until when another owner has certainly not given this node up, and so has not adopted what this node holds. Extended
 * as long as that owner confirms in time that it hears this node; once over, it stays over. Thread-safe: a process or a
 * machine that stood still learns the time before it learns anything else.
 */
public final class OwnerLease {
    private final BothClocks clocks;
    private volatile long untilNanos;

    OwnerLease(long untilNanos, BothClocks clocks) {
        this.untilNanos = untilNanos;
        this.clocks = clocks;
    }

    void extend(long nanos) {
        untilNanos = nanos;
    }

    /**
     * Whether it lasts.
     *
     * @param nowNanos this node's monotonic clock
     * @param nowMillis its wall clock
     */
    public boolean holdsAt(long nowNanos, long nowMillis) {
        // In this order: the clocks are compared anew after the leases were ended.
        return !clocks.parted(nowNanos, nowMillis) && nowNanos - untilNanos < 0;
    }
}
