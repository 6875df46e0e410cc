package io.georep.spring;

import java.time.Duration;

/**
 * Remembers which entries were processed, for {@link Idempotent}. If the handler writes to a database, implement this with a
 * table of the same database that has a unique key, and let the handler's transaction span both. Then nothing is done twice,
 * not even by two nodes, because of two transactions at the same time only one can commit. Must be thread-safe.
 */
public interface ProcessedKeys {
    /** Returns whether this key was processed before. */
    boolean contains(String key);

    /** Remembers that this key was processed now. */
    void add(String key);

    /** The work that is done for a key. */
    @FunctionalInterface
    interface Work {
        /** Does the work. A normal return means that it is done. */
        void run() throws Exception;
    }

    /**
     * Does the work unless the key was processed before, and adds the key after a normal return. Asking, doing and adding are one
     * step only if the implementation makes them one: with a transaction and a unique key; or, as {@link #inMemory} does, by
     * letting others with the same key wait.
     *
     * @return whether the work was done
     * @throws Exception if the work throws; the key then counts as not processed
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
     * Returns keys that are remembered in the memory of this process. They catch repetitions on one node, also those at the same
     * time, but not those after a restart or an adoption.
     *
     * @param window how long a key is remembered
     * @param keysMax how many keys are remembered; the oldest are forgotten first
     */
    static ProcessedKeys inMemory(Duration window, int keysMax) {
        return new RecentKeys(window, keysMax);
    }
}
