package io.georep.funnel.core;

import io.georep.funnel.FunnelSettings;

/**
 * For how long a node may serve: from the moment it asked the master, on its own clocks. The monotonic clock measures it. That clock stands
 * still while the machine is suspended, and the lease must end nevertheless, so the wall clock is looked at too: a lease is void
 * once the two have parted by more than the error allowed for, in whatever direction. A step of the wall clock looks the same, and
 * costs the lease. Immutable.
 */
public final class ReadLease {
    /** A lease that never holds. */
    public static final ReadLease NONE = new ReadLease(0, 0, Long.MIN_VALUE, 0);

    /** Clocks are read one after the other, and the wall clock tells milliseconds: a smaller error would be found everywhere. */
    private static final long ERROR_NANOS_MIN = 10_000_000;

    /** How much two differences of clock readings in whole milliseconds may differ without an error. */
    private static final long ROUNDING_MILLIS = 2;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long fromNanos;
    private final long fromMillis;
    private final long lengthNanos;
    private final long errorMillis;

    private ReadLease(long fromNanos, long fromMillis, long lengthNanos, long errorMillis) {
        this.fromNanos = fromNanos;
        this.fromMillis = fromMillis;
        this.lengthNanos = lengthNanos;
        this.errorMillis = errorMillis;
    }

    /**
     * Returns the lease that was granted, shorter by the error: the clock may run slowly by it, or stand still for as long without being
     * found out. The master allows for both ({@link io.georep.funnel.core.keepers.LeaseClock}).
     *
     * @param fromNanos when the node asked, on its monotonic clock
     * @param fromMillis the same on its wall clock
     * @param grantedNanos from then on, as the master said; none if 0
     */
    public static ReadLease granted(long fromNanos, long fromMillis, long grantedNanos, FunnelSettings settings) {
        if (grantedNanos <= 0) {
            return NONE;
        }
        long error = Math.max(ERROR_NANOS_MIN, (long) Math.ceil(grantedNanos * settings.clockRateError()));
        return new ReadLease(fromNanos, fromMillis, grantedNanos - error, error / NANOS_PER_MILLI - ROUNDING_MILLIS);
    }

    /** Returns whether it holds at a moment that the two clocks tell. */
    public boolean holds(long nanos, long millis) {
        return nanos - fromNanos < lengthNanos && !isVoid(nanos, millis);
    }

    /** Returns whether the clocks have parted since it was asked for. */
    boolean isVoid(long nanos, long millis) {
        return Math.abs(millis - fromMillis - (nanos - fromNanos) / NANOS_PER_MILLI) > errorMillis;
    }

    /** Returns when it ends on the monotonic clock; {@link Long#MIN_VALUE} for {@link #NONE}. */
    public long untilNanos() {
        return this == NONE ? Long.MIN_VALUE : fromNanos + lengthNanos;
    }

    @Override
    public String toString() {
        return this == NONE ? "no lease" : "lease of " + lengthNanos / NANOS_PER_MILLI + " ms";
    }
}
