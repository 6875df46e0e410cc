package io.georep.spring;

import io.georep.outbox.Delivery;

/**
 * Decides what happens to an entry whose handler failed. It is called on the handler's thread, once per failed attempt. Of a
 * batch it is asked about the entries that a {@link io.georep.outbox.BatchFailedException} names. If a batch failed as a whole,
 * it is asked about each entry that fails again alone. If it throws or returns null, that counts as {@link Decision#RETRY}.
 * Must be thread-safe.
 */
@FunctionalInterface
public interface OutboxErrorHandler {
    /** What happens next to the entry. */
    enum Decision {
        /** The retry policy decides: another attempt later, or a dead letter. */
        RETRY,
        /** The entry is set aside now. */
        DEAD_LETTER,
        /** The entry counts as forwarded, and all its copies are deleted. */
        DISCARD
    }

    /** Decides about one failed attempt. */
    Decision decide(Delivery<?> delivery, Throwable error);
}
