package io.georep.spring.listener;

import io.georep.outbox.Retry;
import io.georep.spring.DeadLetterException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a retry policy; what is null is decided by the next level.
 *
 * @param delayMin delay after the first attempt
 * @param delayMax longest delay
 * @param factor how much longer each delay is than the one before
 * @param jitter part of a delay by which it varies
 * @param attempts attempts in all, 0 for no limit
 */
public record RetryValues(
        @Nullable Duration delayMin,
        @Nullable Duration delayMax,
        @Nullable Double factor,
        @Nullable Double jitter,
        @Nullable Integer attempts) {

    /** The values that count if none are set. */
    static final RetryValues LAST = new RetryValues(Duration.ofSeconds(1), Duration.ofMinutes(1), 2.0, 0.2, 0);

    /** These parts, and the others from the next level. */
    RetryValues or(RetryValues next) {
        return new RetryValues(
                delayMin != null ? delayMin : next.delayMin,
                delayMax != null ? delayMax : next.delayMax,
                factor != null ? factor : next.factor,
                jitter != null ? jitter : next.jitter,
                attempts != null ? attempts : next.attempts);
    }

    /** Returns the policy; {@link #LAST} fills what is still open. */
    Retry policy() {
        RetryValues all = or(LAST);
        Duration min = all.delayMin == null ? Duration.ZERO : all.delayMin;
        Duration max = all.delayMax == null ? min : all.delayMax;
        if (delayMax == null && max.compareTo(min) < 0) {
            max = min;
        }
        if (delayMin == null && min.compareTo(max) > 0) {
            min = max;
        }
        Retry policy = Retry.exponential(min, max, all.factor == null ? 1 : all.factor)
                .jitter(all.jitter == null ? 0 : all.jitter)
                .neverOn(DeadLetterException.class);
        return all.attempts == null || all.attempts == 0 ? policy : policy.attempts(all.attempts);
    }
}
