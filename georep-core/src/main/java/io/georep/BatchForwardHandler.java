package io.georep;

import java.util.List;

/**
 * Hands several entries to the consumer at once.
 *
 * @param <T> type of the payload
 */
@FunctionalInterface
public interface BatchForwardHandler<T> {
    /**
     * Forwards all of these entries, at least one. A normal return means that all were forwarded.
     *
     * @throws Exception when any was not taken: all of them are retried
     */
    void handle(List<Delivery<T>> deliveries) throws Exception;
}
