package io.georep.outbox;

import java.util.List;

/**
 * Hands several entries at once to a consumer that keeps them, and ends many of them at once later. It costs less than a stage for
 * each entry, see {@link AsyncBatchForwardHandler}.
 *
 * @param <T> type of the payload
 */
@FunctionalInterface
public interface HoldingForwardHandler<T> {
    /**
     * Takes these entries; there is at least one. Each of them has to be ended by {@code hold}, now or later. One that never is
     * keeps its place in the window until the node is restarted.
     *
     * @param hold ends entries of this and of other calls; the same for all calls of one forwarding
     * @throws Exception if those that are not ended yet failed together; to name the one that failed use {@code hold}
     */
    void handle(List<Delivery<T>> deliveries, Hold hold) throws Exception;
}
