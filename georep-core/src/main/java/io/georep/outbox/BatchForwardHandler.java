package io.georep.outbox;

import java.util.List;

/**
 * Hands several entries to the consumer at once.
 *
 * <p>After a {@link BatchFailedException} that names entries, those failed and all others are forwarded. After any other
 * exception nobody knows which entry is to blame: all of them are retried, each in a call of its own, so that one bad
 * entry does not hold up its neighbours. None becomes a dead letter for a failure it shared: it is tried alone before, if
 * need be once more than {@link Retry#attempts} says. When several calls failed in a row the consumer was down: once it
 * takes something, the entries come in batches again.
 *
 * @param <T> type of the payload
 */
@FunctionalInterface
public interface BatchForwardHandler<T> {
    /**
     * Forwards all of these entries, at least one. A normal return means that all were forwarded.
     *
     * @throws BatchFailedException when some were not taken: they are retried, the others are forwarded
     * @throws Exception when any was not taken: all of them are retried, one by one
     */
    void handle(List<Delivery<T>> deliveries) throws Exception;
}
