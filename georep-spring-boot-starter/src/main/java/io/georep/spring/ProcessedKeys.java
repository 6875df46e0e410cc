package io.georep.spring;

import java.time.Duration;

/**
 * Remembers which entries were processed, for {@link Idempotent}. Where the effect of a handler is a database's, implement
 * this with a table of the same database and let the handler's transaction span both: then nothing is done twice, not even
 * across nodes. Thread-safe.
 */
public interface ProcessedKeys {
    /** Whether this key was processed before. */
    boolean contains(String key);

    /** This key was processed now. */
    void add(String key);

    /**
     * Remembers in the memory of this process: catches repetitions on one node, not those after a restart or an adoption.
     *
     * @param window how long a key is remembered
     * @param keysMax most keys; the oldest are forgotten first
     */
    static ProcessedKeys inMemory(Duration window, int keysMax) {
        return new RecentKeys(window, keysMax);
    }
}
