package io.georep.spring;

import io.georep.outbox.Delivery;

/**
 * Finds out how a transaction ended if its node crashed before it could say so. It is asked about entries that were sent inside
 * a transaction and were neither released nor withdrawn. It is asked on the node that restarted, or on the node that adopted
 * the entries. Usually it looks for the row that the same transaction wrote.
 *
 * <p>Beans are asked in their order until one knows. If none knows, the entry stays held, is reported, and is asked about again
 * later. A check is called on a thread of the queue, for one entry of a queue at a time. It may block, which keeps no other queue
 * waiting.
 */
@FunctionalInterface
public interface TransactionCheck {
    /** How the transaction ended. */
    enum Outcome {
        /** The transaction committed. Handlers get the entry. */
        COMMITTED,
        /** The transaction rolled back. The entry is withdrawn everywhere. */
        ROLLED_BACK,
        /** The outcome is not known, or the transaction is still open. Ask again later. */
        UNKNOWN
    }

    /**
     * Returns how the transaction ended in which this entry was sent.
     *
     * @throws Exception means the same as {@link Outcome#UNKNOWN}
     */
    Outcome check(String queue, Delivery<?> entry) throws Exception;
}
