package io.georep.spring.queue;

import io.georep.model.StreamId;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The bound of a queue: a place is taken by each element put on this node, until it is forwarded. Elements from before a
 * restart and from other nodes take none, because nobody here waited for a place for them. They are told apart by their
 * stream, which is known when the first send is answered; an element may be forwarded before that, so such ends are kept
 * until then. Thread-safe.
 */
final class QueueRoom {
    private final int capacity;
    private final Semaphore places;
    private final Map<StreamId, Integer> endedEarly = new TreeMap<>();
    private @Nullable StreamId own;

    QueueRoom(int capacity) {
        this.capacity = capacity;
        this.places = new Semaphore(capacity);
    }

    int capacity() {
        return capacity;
    }

    Semaphore places() {
        return places;
    }

    /** Notes a send that got an id of this stream. */
    synchronized void stored(StreamId stream) {
        if (!stream.equals(own)) {
            own = stream;
            giveBack(endedEarly.getOrDefault(stream, 0));
            endedEarly.clear();
        }
    }

    /** Gives the place of an element back that was forwarded, or withdrawn before it was delivered. */
    void ended(StreamId stream) {
        ended(stream, 1);
    }

    /** Called when elements of this stream were forwarded, here or by another node, or withdrawn before they were delivered. */
    synchronized void ended(StreamId stream, long elements) {
        int count = (int) Math.min(elements, capacity);
        if (own == null && places.availablePermits() == capacity) {
            endedEarly.clear(); // nobody here waits for an answer
        } else if (own == null) {
            endedEarly.merge(stream, count, (before, more) -> (int) Math.min((long) before + more, capacity));
        } else if (stream.equals(own)) {
            giveBack(count);
        }
    }

    /** Gives places back, never more than are taken: after a send without answer its place was given back already. */
    private void giveBack(int count) {
        places.release(Math.max(0, Math.min(count, capacity - places.availablePermits())));
    }
}
