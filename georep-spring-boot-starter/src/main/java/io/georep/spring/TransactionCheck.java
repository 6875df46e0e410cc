package io.georep.spring;

import io.georep.outbox.Delivery;

/**
 * Finds out how a transaction ended whose node crashed before it could say: asked about entries that were sent inside a
 * transaction and neither released nor withdrawn, on the node that restarted or on the one that took them over. Usually it
 * looks for the row that the same transaction wrote.
 *
 * <p>Beans are asked in their order until one knows; an entry nobody knows about stays held, is reported, and is asked
 * about again later. Called on a thread of its own, one entry at a time; may block.
 */
@FunctionalInterface
public interface TransactionCheck {
    /** How the transaction ended. */
    enum Outcome {
        /** It committed: handlers get the entry. */
        COMMITTED,
        /** It rolled back: the entry is withdrawn everywhere. */
        ROLLED_BACK,
        /** Not known, or it is still at work: ask again later. */
        UNKNOWN
    }

    /**
     * Says how the transaction ended in which this entry was sent.
     *
     * @throws Exception counts as {@link Outcome#UNKNOWN}
     */
    Outcome check(String queue, Delivery<?> entry) throws Exception;
}
