package io.georep.spring;

import java.util.concurrent.BlockingQueue;

/**
 * What a queue with {@link ReplicatedQueue} can do beyond a plain one. Consumers that hand their elements to other threads
 * acknowledge explicitly. Elements are told apart by identity: pass the object that was taken, not an equal one.
 *
 * @param <T> type of the elements
 */
public interface ReplicatedBlockingQueue<T> extends BlockingQueue<T> {
    /** Everything the calling thread took so far was forwarded. */
    void acknowledge();

    /**
     * This element, taken by any thread, was forwarded.
     *
     * @return whether it was in somebody's hands
     */
    boolean acknowledge(T element);

    /**
     * This element, taken by any thread, was not forwarded: it goes back to the queue.
     *
     * @return whether it was in somebody's hands
     */
    boolean giveBack(T element);

    /**
     * The replicated side of an injected queue.
     *
     * @throws IllegalArgumentException when the bean has no {@link ReplicatedQueue}
     */
    static <T> ReplicatedBlockingQueue<T> of(BlockingQueue<T> queue) {
        if (queue instanceof ReplicatedBlockingQueue<T> replicated) {
            return replicated;
        }
        throw new IllegalArgumentException(
                queue.getClass().getName() + " is not replicated: put @ReplicatedQueue on its bean method");
    }
}
