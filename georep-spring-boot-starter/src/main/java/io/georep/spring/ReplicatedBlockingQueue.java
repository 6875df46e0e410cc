package io.georep.spring;

import java.util.concurrent.BlockingQueue;

/**
 * What a queue with {@link ReplicatedQueue} can do beyond a plain one. A consumer that hands its elements to other threads must
 * acknowledge them explicitly. Elements are distinguished by identity: pass the object that was taken, not an equal one.
 * Thread-safe.
 *
 * @param <T> type of the elements
 */
public interface ReplicatedBlockingQueue<T> extends BlockingQueue<T> {
    /** Says that everything the calling thread has taken so far was forwarded. */
    void acknowledge();

    /**
     * Says that this element was forwarded. Any thread may have taken it.
     *
     * @return whether the element was in somebody's hands
     */
    boolean acknowledge(T element);

    /**
     * Says that this element was not forwarded. It goes back to the queue. Any thread may have taken it.
     *
     * @return whether the element was in somebody's hands
     */
    boolean giveBack(T element);

    /**
     * Returns the replicated side of an injected queue.
     *
     * @throws IllegalArgumentException if the bean has no {@link ReplicatedQueue}
     */
    static <T> ReplicatedBlockingQueue<T> of(BlockingQueue<T> queue) {
        if (queue instanceof ReplicatedBlockingQueue<T> replicated) {
            return replicated;
        }
        throw new IllegalArgumentException(
                queue.getClass().getName() + " is not replicated: put @ReplicatedQueue on its bean method");
    }
}
