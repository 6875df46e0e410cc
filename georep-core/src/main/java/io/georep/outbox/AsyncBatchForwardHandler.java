package io.georep.outbox;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Hands several entries at once to a consumer that answers later, for each entry.
 *
 * @param <T> type of the payload
 */
@FunctionalInterface
public interface AsyncBatchForwardHandler<T> {
    /**
     * Begins to forward these entries, at least one. Answers a stage for each of them, in the same order: its normal
     * completion means forwarded, its failure that this entry failed; with a {@link BatchFailedException} it failed
     * together with others, as if the handler had thrown. A stage may complete on any thread, and one stage may stand
     * for several entries.
     *
     * @throws Exception as {@link BatchForwardHandler#handle} does
     */
    List<? extends CompletionStage<?>> handle(List<Delivery<T>> deliveries) throws Exception;
}
