package io.georep.outbox.core;

/**
 * Whether the two clocks of this machine went on together. The monotonic clock stands still while the machine is suspended, and
 * leases must end nevertheless; so once the wall clock has parted from it by more than an error, all leases are over. A step
 * of the wall clock looks the same. Changed by the node, read by handlers: a machine that was suspended learns it before it
 * learns anything else.
 */
final class BothClocks {
    /** Clocks are read one after the other, and the wall clock tells milliseconds. */
    private static final long ERROR_NANOS_MIN = 10_000_000;

    /** Of T_s + T_x: leases leave a tenth of it, and two errors fit into one. */
    private static final int ERROR_PART = 50;

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** What both clocks showed at one moment, and the shortest T_s + T_x. */
    private record Reference(long nanos, long millis, long failoverNanos) {}

    private volatile Reference reference = new Reference(0, 0, 0);

    /** From now on they are compared with what they show now, for leases that others grant who wait for at least so long. */
    void compareFrom(long nowNanos, long nowMillis, long failoverNanos) {
        reference = new Reference(nowNanos, nowMillis, failoverNanos);
    }

    /** Whether they have parted. */
    boolean parted(long nowNanos, long nowMillis) {
        Reference before = reference;
        return parted(before, nowNanos, nowMillis, before.failoverNanos);
    }

    /** Whether they have parted by more than the lease of an owner can bear that waits for so long. */
    boolean parted(long nowNanos, long nowMillis, long failoverNanos) {
        return parted(reference, nowNanos, nowMillis, failoverNanos);
    }

    private static boolean parted(Reference before, long nowNanos, long nowMillis, long failoverNanos) {
        long error = Math.max(ERROR_NANOS_MIN, failoverNanos / ERROR_PART);
        return Math.abs((nowMillis - before.millis) * NANOS_PER_MILLI - (nowNanos - before.nanos)) > error;
    }

    /** Whether they may part unnoticed by more than that. */
    boolean areTooCoarseFor(long failoverNanos) {
        return reference.failoverNanos > failoverNanos;
    }

    /** Whether they are to be compared anew: clocks run at unlike speeds. */
    boolean isOld(long nowNanos) {
        return nowNanos - reference.nanos >= reference.failoverNanos;
    }
}
