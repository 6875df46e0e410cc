package io.georep.spring.connect;

import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.connect.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * Repeats what failed with a {@link RetriableException} for as long as {@code errors.retry.timeout} says, with growing pauses. For
 * the thread of one task.
 */
final class Tolerance {
    private static final long FIRST_PAUSE_MILLIS = 300;

    /** Where a record failed, with the names that Kafka Connect uses. */
    enum Stage {
        TRANSFORMATION,
        KEY_CONVERTER,
        VALUE_CONVERTER,
        HEADER_CONVERTER,
        TASK_PUT,
        KAFKA_PRODUCE
    }

    /** Waits; true if the task is to stop. */
    @FunctionalInterface
    interface Pause {
        boolean stoppedWithin(long millis) throws InterruptedException;
    }

    private final long timeoutMillis;
    private final long pauseMaxMillis;
    private final Pause pause;

    /** {@code timeoutMillis}: -1 for ever, 0 not at all. */
    Tolerance(long timeoutMillis, long pauseMaxMillis, Pause pause) {
        this.timeoutMillis = timeoutMillis;
        this.pauseMaxMillis = pauseMaxMillis;
        this.pause = pause;
    }

    /** Does one step of a record. */
    <V extends @Nullable Object> V run(Stage stage, Class<?> executing, Callable<V> step) throws RecordFailedException {
        long begun = timeoutMillis > 0 ? System.nanoTime() : 0;
        for (int attempt = 1; ; attempt++) {
            try {
                return step.call();
            } catch (RetriableException e) {
                if (!again(begun, attempt)) {
                    throw new RecordFailedException(stage, executing, e);
                }
            } catch (Exception | StackOverflowError e) { // a record may be nested too deeply
                throw new RecordFailedException(stage, executing, e);
            }
        }
    }

    /** A record whose task stops has not failed. */
    private static CancellationException stopping() {
        return new CancellationException("the task stops while it tries a record again, which comes again later");
    }

    private boolean again(long begun, int attempt) {
        if (timeoutMillis == 0) {
            return false;
        }
        long wait = FIRST_PAUSE_MILLIS << Math.min(attempt - 1, 20);
        if (wait > pauseMaxMillis) {
            wait = pauseMaxMillis <= 1
                    ? pauseMaxMillis
                    : ThreadLocalRandom.current().nextLong(1, pauseMaxMillis + 1);
        }
        if (timeoutMillis > 0) {
            long left = timeoutMillis - (System.nanoTime() - begun) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait = Math.min(wait, left);
        }
        try {
            if (pause.stoppedWithin(wait)) {
                throw stopping();
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw stopping();
        }
    }
}
