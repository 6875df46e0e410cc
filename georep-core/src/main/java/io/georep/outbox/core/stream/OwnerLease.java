package io.georep.outbox.core.stream;

import io.georep.protocol.ClockComparison;

/**
 * Until when another owner has certainly not given this node up, and so has not adopted what this node holds. The lease
 * is extended as long as that owner confirms in time that it hears this node. Once it is over, it stays over.
 * Thread-safe: any thread that goes on after a pause of the process can look at the clocks before the driver has seen
 * anything.
 */
public final class OwnerLease {
    private final ClockComparison clocks;
    private volatile long untilNanos;

    public OwnerLease(long untilNanos, ClockComparison clocks) {
        this.untilNanos = untilNanos;
        this.clocks = clocks;
    }

    public void extend(long nanos) {
        untilNanos = nanos;
    }

    /**
     * Returns whether the lease still lasts.
     *
     * @param nowNanos this node's monotonic clock
     * @param nowMillis its wall clock
     */
    public boolean holdsAt(long nowNanos, long nowMillis) {
        // In this order: the clocks are compared anew after the leases were ended.
        return !clocks.parted(nowNanos, nowMillis) && nowNanos - untilNanos < 0;
    }
}
