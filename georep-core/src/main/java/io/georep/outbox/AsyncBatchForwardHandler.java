package io.georep.outbox;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Hands several entries at once to a consumer that answers later, separately for each entry.
 *
 * @param <T> type of the payload
 */
@FunctionalInterface
public interface AsyncBatchForwardHandler<T> {
    /**
     * Begins to forward these entries; there is at least one. Returns a stage for each of them, in the same order. If the
     * stage completes normally, the entry was forwarded. If it fails, this entry failed. If it fails with a {@link
     * BatchFailedException}, the entry failed together with others, as if the handler had thrown that exception. A stage may
     * complete on any thread. One stage may stand for several entries.
     *
     * @throws Exception as {@link BatchForwardHandler#handle} does
     */
    List<? extends CompletionStage<?>> handle(List<Delivery<T>> deliveries) throws Exception;
}
