package io.georep.comparison;

import org.jspecify.annotations.Nullable;

/** For how long no entry was acknowledged. Thread-safe. */
final class Pauses {
    private static final double MILLI = 1e6;

    private long longest;
    private long last = System.nanoTime();

    /** An attempt to send ended. */
    synchronized void ended(@Nullable Object id, @Nullable Throwable failure) {
        if (failure == null) {
            long now = System.nanoTime();
            longest = Math.max(longest, now - last);
            last = now;
        }
    }

    /** Milliseconds of the longest pause, one that goes on included, and since the last acknowledgement. */
    synchronized String text() {
        long since = System.nanoTime() - last;
        return Math.round(Math.max(longest, since) / MILLI) + " " + Math.round(since / MILLI);
    }
}
