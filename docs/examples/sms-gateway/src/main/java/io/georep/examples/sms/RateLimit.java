package io.georep.examples.sms;

/** Lets so many messages through per second, up to a second's worth of them at once. Thread-safe. */
final class RateLimit {
    private static final long SECOND_NANOS = 1_000_000_000;

    private final long intervalNanos;

    /** When the messages let through so far would be due if they came evenly. */
    private long due;

    private boolean used;

    /** Limits to a rate per second; 0 for no limit. */
    RateLimit(int perSecond) {
        intervalNanos = perSecond == 0 ? 0 : SECOND_NANOS / perSecond;
    }

    /** Returns whether one more message is let through now, by {@link System#nanoTime}. */
    synchronized boolean allows(long now) {
        if (!used || due - now < 0) {
            due = now;
            used = true;
        }
        if (due + intervalNanos - now > SECOND_NANOS) {
            return false;
        }
        due += intervalNanos;
        return true;
    }
}
