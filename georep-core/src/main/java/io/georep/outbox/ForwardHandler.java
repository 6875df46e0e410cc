package io.georep.outbox;

/**
 * Hands entries to the consumer. Called by as many threads at once as {@link ForwardOptions#concurrency} says.
 *
 * @param <T> type of the payload
 */
@FunctionalInterface
public interface ForwardHandler<T> {
    /**
     * Forwards one entry. A normal return means forwarded: all copies are deleted.
     *
     * @throws Exception when the consumer did not take it: {@link ForwardOptions#retry} decides what happens
     */
    void handle(Delivery<T> delivery) throws Exception;
}
