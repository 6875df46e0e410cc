package io.georep.outbox;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One entry on its way to the consumer. Immutable.
 *
 * @param <T> type of the payload
 */
public interface Delivery<T> {
    /** Returns the name of the queue to which the entry was sent. */
    String queue();

    /**
     * Returns what was sent.
     *
     * @throws IllegalStateException if the codec cannot read it. Handlers never get such an entry, but {@link
     *     Outbox#undecided} may list one
     */
    T payload();

    /**
     * Returns the id of the entry. It is the same on every node and at every attempt, so the consumer can use it as an
     * idempotency key.
     */
    EntryId id();

    /** Returns the node that accepted the entry. */
    default NodeId origin() {
        return id().origin();
    }

    /**
     * Returns the number of this attempt, from 1. It counts the failed attempts on all nodes. After a crash, the last ones before
     * it may be missing.
     */
    int attempt();

    /** Returns the node from which this one took the entry over; null if it did not. */
    @Nullable
    NodeId adoptedFrom();

    /** Returns whether this node took the entry over from another one. */
    default boolean adopted() {
        return adoptedFrom() != null;
    }

    /**
     * Returns whether somebody may have forwarded the entry before: because this node adopted it, because it was with the
     * application when the node stopped, or because a handler was called with it before.
     */
    boolean possiblySent();

    /** Returns the headers that {@link SendOptions#headers} gave, in that order; empty if there are none. */
    Map<String, String> headers();

    /** Returns the key that {@link SendOptions#producerKey} gave; null if there is none. */
    @Nullable
    String producerKey();

    /** Returns the size of the entry in bytes, as nodes send and store it: the payload with its headers and times. */
    int size();

    /** Returns when the entry was accepted, by the wall clock of the node that accepted it. */
    Instant enqueuedAt();
}
