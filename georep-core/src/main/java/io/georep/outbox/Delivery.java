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
    /** Name of the queue it was sent to. */
    String queue();

    /**
     * What was sent.
     *
     * @throws IllegalStateException when the codec cannot read it: handlers never get such an entry, but it may be found
     *     undecided ({@link Outbox#undecided}), where its other properties have to do
     */
    T payload();

    /** Id of the entry, the same on every node and at every attempt: an idempotency key for the consumer. */
    EntryId id();

    /** The node that accepted the entry. */
    default NodeId origin() {
        return id().origin();
    }

    /** Number of this attempt on this node since it was started, from 1. */
    int attempt();

    /** The node this one took the entry over from; null when it was not adopted. */
    @Nullable
    NodeId adoptedFrom();

    /** Whether this node took the entry over from another. */
    default boolean adopted() {
        return adoptedFrom() != null;
    }

    /**
     * Whether somebody may have forwarded it before: it was adopted, or was with the application when the node stopped,
     * or an earlier attempt failed half way.
     */
    boolean possiblySent();

    /** What {@link SendOptions#headers} said, in that order; empty when nothing. */
    Map<String, String> headers();

    /** What {@link SendOptions#producerKey} said; null when nothing. */
    @Nullable
    String producerKey();

    /** When the entry was accepted, by the wall clock of its origin. */
    Instant enqueuedAt();
}
