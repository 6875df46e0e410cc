package io.georep.examples.sms.operator;

import java.time.Duration;

/** Pauses that double from failure to failure and start again after a success. Not thread-safe. */
final class Backoff {
    private final long minNanos;
    private final long maxNanos;
    private long nextNanos;

    Backoff(Duration min, Duration max) {
        minNanos = min.toNanos();
        maxNanos = Math.max(minNanos, max.toNanos());
        nextNanos = minNanos;
    }

    /** The pause after one more failure. */
    long failed() {
        long pause = nextNanos;
        nextNanos = Math.min(maxNanos, nextNanos * 2);
        return pause;
    }

    /** Makes the next pause the shortest again. */
    void succeeded() {
        nextNanos = minNanos;
    }
}
