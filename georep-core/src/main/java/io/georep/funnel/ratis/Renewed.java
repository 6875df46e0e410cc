package io.georep.funnel.ratis;

import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something that is read again when it is asked for after a while. If that fails, what was read before stays, and the log says so
 * once until it succeeds. Thread-safe.
 *
 * @param <T> what is read
 */
final class Renewed<T> implements Supplier<T> {
    private static final Logger LOG = LoggerFactory.getLogger(RatisTls.class);

    private final String what;
    private final Supplier<T> reader;
    private final long everyNanos;
    private T newest;
    private long readAt;
    private boolean isOld;

    /**
     * Reads it for the first time.
     *
     * @throws RuntimeException that of the reader
     */
    Renewed(String what, Supplier<T> reader, Duration every) {
        this.what = what;
        this.reader = reader;
        everyNanos = every.toNanos();
        newest = reader.get();
        readAt = System.nanoTime();
    }

    @Override
    public synchronized T get() {
        long now = System.nanoTime();
        if (now - readAt >= everyNanos) {
            readAt = now;
            try {
                newest = reader.get();
                isOld = false;
            } catch (RuntimeException e) {
                if (!isOld) {
                    LOG.warn(
                            "The {} for the master of views cannot be read again, so those read before stay in use: {}",
                            what,
                            e.getMessage());
                }
                isOld = true;
            }
        }
        return newest;
    }
}
