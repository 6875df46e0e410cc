package io.georep.outbox.core.ledger;

/**
 * The age of a store: for how long it has been in use, in all boots together. Tombstones are kept by this clock (6.9.4).
 * The time since the boot begins anew each time, so the streams of a node that is often restarted would never end; and the
 * wall clock may jump.
 *
 * <p>Only now and then is the age noted, ahead of time. So a crash loses nothing of it, and each boot counts for at least
 * one step, which bounds the streams of short boots.
 */
public final class StoreAge {
    /** Parts of the life of tombstones in which the age is noted. */
    private static final int STEPS = 1000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private long lifeMillis = STEPS;
    private long notedMillis;
    private long bootMillis;
    private long bootNanos;

    public void lifeOfTombstones(long nanos) {
        lifeMillis = Math.max(STEPS, nanos / NANOS_PER_MILLI);
    }

    private long stepMillis() {
        return lifeMillis / STEPS;
    }

    /** Returns the age before which tombstones are over. */
    long pastLifeMillis(long nowNanos) {
        return millisAt(nowNanos) - lifeMillis;
    }

    /** Returns how long nothing may have changed in a stream until it is no longer kept at hand. */
    public long stepNanos() {
        return stepMillis() * NANOS_PER_MILLI;
    }

    /** A note was written, or read again. */
    void noted(long millis) {
        notedMillis = Math.max(notedMillis, millis);
    }

    /** All notes are read: this boot begins. */
    void boot(long nowNanos) {
        bootMillis = notedMillis;
        bootNanos = nowNanos;
    }

    /** Returns what is noted: at least the age. */
    public long notedMillis() {
        return notedMillis;
    }

    /** Returns whether another note is due. */
    boolean isNoteDue(long nowNanos) {
        return millisAt(nowNanos) >= notedMillis;
    }

    /** Returns the next note: ahead of time. */
    long next(long nowNanos) {
        return millisAt(nowNanos) + stepMillis();
    }

    /** Returns the age at a time of this boot, or before it as {@link #nanosAt} gives it. */
    long millisAt(long nanos) {
        return bootMillis + Math.floorDiv(nanos - bootNanos, NANOS_PER_MILLI);
    }

    /** Returns when this age was reached, on the clock of this boot. */
    long nanosAt(long millis) {
        return bootNanos + (millis - bootMillis) * NANOS_PER_MILLI;
    }
}
