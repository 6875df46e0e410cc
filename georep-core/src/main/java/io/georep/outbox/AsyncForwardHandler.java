package io.georep.outbox;

import java.util.concurrent.CompletionStage;

/**
 * Hands entries to a consumer that answers later.
 *
 * @param <T> type of the payload
 */
@FunctionalInterface
public interface AsyncForwardHandler<T> {
    /**
     * Begins to forward one entry. Normal completion of the stage means forwarded; the stage may complete on any thread.
     *
     * @throws Exception like exceptional completion
     */
    CompletionStage<?> handle(Delivery<T> delivery) throws Exception;
}
