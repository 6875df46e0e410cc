package io.georep.outbox;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One entry on its way to the consumer.
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

    /**
     * Lets the entry end with this stage instead of with the return of the handler, which calls this before it returns. If the
     * stage completes normally, the entry was forwarded. If it fails, the entry failed; see {@link Hold#failed}. The first
     * completion of the stage counts, on any thread. One stage may stand for several entries: a {@link BatchFailedException} then
     * ends each as if the batch handler had thrown it, so that those that it does not name were forwarded. If a stage never
     * completes, its entry keeps its place in the window until the node is restarted.
     *
     * @throws IllegalStateException if the entry is in no handler's hands
     */
    void endsWith(CompletionStage<?> end);

    /**
     * Keeps the entry beyond the return of the handler, which calls this before it returns. The entry has to be ended by what
     * this returns, now or later: else it keeps its place in the window until the node is restarted. For a handler that ends many
     * entries at once this costs less than {@link #endsWith}.
     *
     * @return ends this and other entries; the same for all entries of one forwarding
     * @throws IllegalStateException if the entry is in no handler's hands
     */
    Hold keep();
}
