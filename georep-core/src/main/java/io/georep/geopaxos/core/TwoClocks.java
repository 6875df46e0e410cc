package io.georep.geopaxos.core;

/**
 * Compares the two clocks of this machine. The monotonic clock stands still while the machine is suspended, but leases must end
 * nevertheless. A step of the wall clock looks the same.
 */
final class TwoClocks {
    /** Clocks are read one after the other, and the wall clock tells milliseconds. */
    private static final long ERROR_NANOS_MIN = 5_000_000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long errorNanos;
    private final long lengthNanos;
    private long nanos;
    private long millis;

    /** For leases of this length, which may seem longer by half of {@code driftNanos}: clocks are compared anew once in a lease. */
    TwoClocks(long leaseNanos, long driftNanos, long nowNanos, long nowMillis) {
        errorNanos = Math.max(ERROR_NANOS_MIN, driftNanos / 4);
        lengthNanos = leaseNanos;
        nanos = nowNanos;
        millis = nowMillis;
    }

    /** Whether their distance has changed since they were compared last. */
    boolean parted(long nowNanos, long nowMillis) {
        boolean parted = Math.abs((nowMillis - millis) * NANOS_PER_MILLI - (nowNanos - nanos)) > errorNanos;
        if (parted || nowNanos - nanos >= lengthNanos) {
            nanos = nowNanos;
            millis = nowMillis;
        }
        return parted;
    }
}
