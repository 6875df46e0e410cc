package io.georep.spring;

import io.georep.outbox.Delivery;

/**
 * Decides what happens to an entry whose handler failed. Called on the handler's thread, once per failed attempt. Of
 * a batch it is asked about the entries that a {@link io.georep.outbox.BatchFailedException} names; when a batch failed as a whole,
 * about each entry that fails again alone. What it throws, and null,
 * count as {@link Decision#RETRY}.
 */
@FunctionalInterface
public interface OutboxErrorHandler {
    /** What happens next. */
    enum Decision {
        /** The retry policy decides: another attempt later, or a dead letter. */
        RETRY,
        /** Set aside now. */
        DEAD_LETTER,
        /** Count as forwarded: all copies are deleted. */
        DISCARD
    }

    /** Decides about one failed attempt. */
    Decision decide(Delivery<?> delivery, Throwable error);
}
