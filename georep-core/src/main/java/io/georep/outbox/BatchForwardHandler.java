package io.georep.outbox;

import java.util.List;

/**
 * Hands several entries to the consumer at once.
 *
 * <p>After a {@link BatchFailedException} that names entries, these entries failed and all others were forwarded. After any
 * other exception nobody knows which entry is to blame. So all of them are retried, each in a call of its own, and one bad
 * entry does not hold up its neighbours. No entry becomes a dead letter for a failure that it shared with others: it is
 * first tried alone, if need be once more than {@link Retry#attempts} says. If several calls in a row failed, the consumer
 * was down. Once it takes something again, the entries come in batches again.
 *
 * @param <T> type of the payload
 */
@FunctionalInterface
public interface BatchForwardHandler<T> {
    /**
     * Forwards all of these entries; there is at least one. A normal return means that all were forwarded, except those that
     * end later; see {@link Delivery#endsWith} and {@link Delivery#keep}.
     *
     * @throws BatchFailedException if the consumer did not take some of them: these are retried; of the others, those that do not
     *     end later count as forwarded
     * @throws Exception if the consumer did not take any one of them: all that have not ended yet are retried, one by one
     */
    void handle(List<Delivery<T>> deliveries) throws Exception;
}
