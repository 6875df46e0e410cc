package io.georep.outbox;

/**
 * Hands entries to the consumer. As many threads call it at the same time as {@link ForwardOptions#concurrency} says.
 *
 * @param <T> type of the payload
 */
@FunctionalInterface
public interface ForwardHandler<T> {
    /**
     * Forwards one entry. A normal return means that the entry was forwarded, and all copies are deleted. If the consumer answers
     * later, let the entry end with that answer; see {@link Delivery#endsWith} and {@link Delivery#keep}.
     *
     * @throws Exception if the consumer did not take the entry. {@link ForwardOptions#retry} decides what happens then
     */
    void handle(Delivery<T> delivery) throws Exception;
}
