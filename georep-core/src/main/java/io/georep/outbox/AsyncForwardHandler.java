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
     * Begins to forward one entry. If the stage completes normally, the entry was forwarded. If it fails, {@link
     * ForwardOptions#retry} decides what happens. The stage may complete on any thread.
     *
     * @throws Exception means the same as a stage that fails
     */
    CompletionStage<?> handle(Delivery<T> delivery) throws Exception;
}
