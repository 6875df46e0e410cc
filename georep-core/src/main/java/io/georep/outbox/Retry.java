package io.georep.outbox;

import io.georep.model.ConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What happens after a handler failed: how long to wait, how often to try, and which errors are hopeless. An entry that is
 * not tried again becomes a dead letter. Immutable: each method that changes something returns a changed copy.
 */
public final class Retry {
    private static final Retry DEFAULTS =
            exponential(Duration.ofSeconds(1), Duration.ofMinutes(1), 2).jitter(0.2);

    private final Duration min;
    private final Duration max;
    private final double factor;
    private final double jitter;
    private final int attemptsMax;
    private final List<Class<? extends Throwable>> retryable;
    private final List<Class<? extends Throwable>> hopeless;

    private Retry(
            Duration min,
            Duration max,
            double factor,
            double jitter,
            int attemptsMax,
            List<Class<? extends Throwable>> retryable,
            List<Class<? extends Throwable>> hopeless) {
        this.min = min;
        this.max = max;
        this.factor = factor;
        this.jitter = jitter;
        this.attemptsMax = attemptsMax;
        this.retryable = retryable;
        this.hopeless = hopeless;
    }

    /** Tries for ever, after 1 s, 2 s, 4 s … 1 min. Each delay is randomly up to 20 % shorter or longer. */
    public static Retry defaults() {
        return DEFAULTS;
    }

    /** Tries for ever, always after this delay. */
    public static Retry fixed(Duration delay) {
        return exponential(delay, delay, 1);
    }

    /**
     * Tries for ever, with growing delays.
     *
     * @param min delay after the first attempt
     * @param max longest delay
     * @param factor how much longer each delay is than the one before, at least 1
     */
    public static Retry exponential(Duration min, Duration max, double factor) {
        if (min.isNegative() || max.compareTo(min) < 0 || max.compareTo(Duration.ofDays(365)) > 0) {
            throw new ConfigurationException(
                    "retry delays " + min + " to " + max + ": allowed are 0 <= min <= max <= 365 days");
        }
        if (!(factor >= 1 && factor <= 1000)) {
            throw new ConfigurationException("retry factor is " + factor + ", allowed are 1 to 1000");
        }
        return new Retry(min, max, factor, 0, Integer.MAX_VALUE, List.of(), List.of());
    }

    /** Never tries again: the first failure makes a dead letter. */
    public static Retry none() {
        return fixed(Duration.ZERO).attempts(1);
    }

    /** Makes each delay randomly shorter or longer by up to this part of it, 0 to 1. */
    public Retry jitter(double part) {
        if (!(part >= 0 && part <= 1)) {
            throw new ConfigurationException("retry jitter is " + part + ", allowed are 0 to 1");
        }
        return new Retry(min, max, factor, part, attemptsMax, retryable, hopeless);
    }

    /** Gives up after this many attempts, the first included; at least 1. */
    public Retry attempts(int atMost) {
        if (atMost < 1) {
            throw new ConfigurationException(
                    "retry attempts is " + atMost + ", must be at least 1; leave it out to try for ever");
        }
        return new Retry(min, max, factor, jitter, atMost, retryable, hopeless);
    }

    /**
     * Tries again only after errors of these classes, and of those named before. After any other error the entry becomes a dead
     * letter at once.
     */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final Retry retryOn(Class<? extends Throwable>... classes) {
        return new Retry(min, max, factor, jitter, attemptsMax, joined(retryable, List.of(classes)), hopeless);
    }

    /** Gives up at once after errors of these classes, even if {@link #retryOn} names them. */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final Retry neverOn(Class<? extends Throwable>... classes) {
        return new Retry(min, max, factor, jitter, attemptsMax, retryable, joined(hopeless, List.of(classes)));
    }

    /** Returns whether to try again after this many attempts, if the last of them ended with this error. */
    public boolean again(int attempts, Throwable error) {
        if (attempts >= attemptsMax || matches(hopeless, error)) {
            return false;
        }
        return retryable.isEmpty() || matches(retryable, error);
    }

    /**
     * Returns how long to wait after this many attempts.
     *
     * @param attempts at least 1
     * @param random source of the jitter
     */
    public Duration delay(int attempts, RandomGenerator random) {
        double grown = (double) min.toNanos() * Math.pow(factor, Math.max(0, attempts - 1));
        double bounded = Math.min(grown, (double) max.toNanos());
        double spread = jitter == 0 ? 1 : 1 + jitter * (2 * random.nextDouble() - 1);
        return Duration.ofNanos((long) (bounded * spread));
    }

    private static boolean matches(List<Class<? extends Throwable>> classes, Throwable error) {
        for (Class<? extends Throwable> type : classes) {
            if (type.isInstance(error)) {
                return true;
            }
        }
        return false;
    }

    private static List<Class<? extends Throwable>> joined(
            List<Class<? extends Throwable>> before, List<Class<? extends Throwable>> more) {
        List<Class<? extends Throwable>> all = new ArrayList<>(before);
        all.addAll(more);
        return List.copyOf(all);
    }
}
