package io.georep.netty.internal.dial;

import java.util.random.RandomGenerator;

/**
 * Pauses between attempts: doubling from the shortest to the longest, each drawn from the upper half of its step, so that
 * nodes that lost the same peer do not come back in step.
 */
final class Backoff {
    private final long minNanos;
    private final long maxNanos;
    private final RandomGenerator random;
    private long stepNanos;

    Backoff(long minNanos, long maxNanos, RandomGenerator random) {
        this.minNanos = minNanos;
        this.maxNanos = maxNanos;
        this.random = random;
        stepNanos = minNanos;
    }

    /** Returns the next pause in nanoseconds, at least half the shortest. */
    long next() {
        long step = stepNanos;
        stepNanos = step > maxNanos / 2 ? maxNanos : step * 2;
        return step / 2 + random.nextLong(step / 2 + 1);
    }

    void reset() {
        stepNanos = minNanos;
    }
}
