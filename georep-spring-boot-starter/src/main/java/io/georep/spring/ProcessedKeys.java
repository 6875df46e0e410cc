package io.georep.spring;

import java.time.Duration;

/**
 * Remembers which entries were processed, for {@link Idempotent}. Where the effect of a handler is a database's, implement
 * this with a table of the same database whose key is unique, and let the handler's transaction span both: then nothing is
 * done twice, not even across nodes, because of two at the same time one cannot commit. Thread-safe.
 */
public interface ProcessedKeys {
    /** Whether this key was processed before. */
    boolean contains(String key);

    /** This key was processed now. */
    void add(String key);

    /** What is done for a key. */
    @FunctionalInterface
    interface Work {
        /** Does it; a normal return means it is done. */
        void run() throws Exception;
    }

    /**
     * Does the work unless the key was processed before, and adds the key after a normal return. What is asked, done and
     * added here is one step only where the implementation makes it one: by a transaction with a unique key, or, as
     * {@link #inMemory} does, by letting others with the same key wait.
     *
     * @return whether the work was done
     * @throws Exception what the work throws; then the key counts as not processed
     */
    default boolean once(String key, Work work) throws Exception {
        if (contains(key)) {
            return false;
        }
        work.run();
        add(key);
        return true;
    }

    /**
     * Remembers in the memory of this process: catches repetitions on one node, also at the same time, not those after a
     * restart or an adoption.
     *
     * @param window how long a key is remembered
     * @param keysMax most keys; the oldest are forgotten first
     */
    static ProcessedKeys inMemory(Duration window, int keysMax) {
        return new RecentKeys(window, keysMax);
    }
}
