package io.georep.protocol;

/**
 * Tells when the two clocks of this machine have parted. The monotonic clock stands still while the machine is
 * suspended, and leases must end nevertheless; so a protocol ends its leases when the wall clock has parted from it by
 * more than an error. A step of the wall clock looks the same. Compare them anew after they have parted, and when the
 * comparison {@link #isOld}. One thread changes it and any thread reads it, so after a suspension the first thread that
 * looks finds out.
 */
public final class ClockComparison {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** What both clocks showed at one moment. */
    private record Reference(long nanos, long millis, long lengthNanos, long errorNanos) {}

    private volatile Reference reference = new Reference(0, 0, 0, 0);

    /**
     * From now on they are compared with what they show now.
     *
     * @param nowNanos the monotonic clock
     * @param nowMillis the wall clock
     * @param lengthNanos for how long: the shortest lease that depends on it
     * @param errorNanos by how much they may part: clocks are read one after the other, and the wall clock tells
     *     milliseconds
     */
    public void compareFrom(long nowNanos, long nowMillis, long lengthNanos, long errorNanos) {
        reference = new Reference(nowNanos, nowMillis, lengthNanos, errorNanos);
    }

    /** Returns whether they have parted. */
    public boolean parted(long nowNanos, long nowMillis) {
        Reference before = reference;
        return parted(before, nowNanos, nowMillis, before.errorNanos);
    }

    /** Returns whether they have parted by more than so much, in whatever direction. */
    public boolean parted(long nowNanos, long nowMillis, long errorNanos) {
        return parted(reference, nowNanos, nowMillis, errorNanos);
    }

    private static boolean parted(Reference before, long nowNanos, long nowMillis, long errorNanos) {
        return Math.abs((nowMillis - before.millis) * NANOS_PER_MILLI - (nowNanos - before.nanos)) > errorNanos;
    }

    /** Returns whether it is for longer leases than one of this length, which can bear a smaller error only. */
    public boolean isTooCoarseFor(long lengthNanos) {
        return reference.lengthNanos > lengthNanos;
    }

    /** Returns whether they are to be compared anew: clocks run at unlike speeds. */
    public boolean isOld(long nowNanos) {
        return nowNanos - reference.nanos >= reference.lengthNanos;
    }
}
