package io.georep.outbox.core;

/**
 * Until when another owner has certainly not given this node up, and so has not adopted what this node holds. Extended
 * as long as that owner confirms in time that it hears this node; once over, it stays over. Thread-safe: a process that
 * stood still learns the time before it learns anything else.
 */
public final class Lease {
    private volatile long untilNanos;

    Lease(long untilNanos) {
        this.untilNanos = untilNanos;
    }

    void extend(long nanos) {
        untilNanos = nanos;
    }

    /**
     * Whether it lasts.
     *
     * @param nowNanos this node's monotonic clock
     */
    public boolean holdsAt(long nowNanos) {
        return nowNanos - untilNanos < 0;
    }
}
