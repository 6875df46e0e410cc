package io.georep.outbox.core.messages;

import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.spi.PeerSelection;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the application side asks of the outbox protocol. Answers are {@link OutboxEvent}s. */
public sealed interface OutboxCommand {
    /**
     * Accept entries (rules o1, o2). Each is answered by {@link OutboxEvent.Stored} or {@link OutboxEvent.PutFailed}
     * with the same object.
     */
    record PutAll(List<Put> puts) implements OutboxCommand {}

    /**
     * One entry to accept.
     *
     * @param queue name of the queue, 1 to 255 bytes of UTF-8
     * @param f copies on other nodes, 0 to 15
     * @param payload the bytes, not changed afterwards
     * @param token whatever the caller wants to find again in the answer
     * @param prepared copied like any other entry but not handed out before {@link Decide}
     */
    record Put(String queue, int f, Slice payload, Object token, boolean prepared) {
        /** An entry to be handed out as soon as it is stored. */
        public Put(String queue, int f, Slice payload, Object token) {
            this(queue, f, payload, token, false);
        }
    }

    /** Prepared entries are to be handed out ({@code commit}) or withdrawn everywhere. */
    record Decide(List<EntryId> ids, boolean commit) implements OutboxCommand {}

    /**
     * Answered by {@link OutboxEvent.Undecided}: at most {@code max} prepared entries of a queue this node holds, after
     * an id, in order.
     */
    record ListUndecided(String queue, @Nullable EntryId after, int max, Object token) implements OutboxCommand {}

    /**
     * Hand over up to this many more entries of a queue (back-pressure of the application). Credits add up; each
     * delivered entry uses one.
     */
    record Credit(String queue, int entries) implements OutboxCommand {}

    /** The application forwarded these entries (rule o6): delete them everywhere. */
    record Forwarded(List<EntryId> ids) implements OutboxCommand {}

    /**
     * The application gives entries back unforwarded. Those that another node has claimed or ended meanwhile are that
     * node's; the others are handed out again on later credit.
     *
     * @param untouched those that no handler was called with since they were handed out
     * @param tried those that a handler was called with: it may have forwarded them
     */
    record Return(List<EntryId> untouched, List<EntryId> tried) implements OutboxCommand {}

    /**
     * Send the payload of an entry handed out before once more, as {@link OutboxEvent.Deliver} (a retry whose payload
     * was dropped from memory). Uses no credit.
     */
    record Reread(List<EntryId> ids) implements OutboxCommand {}

    /** Attempts failed at entries that stay with the application. */
    record Failed(List<Failure> failures) implements OutboxCommand {}

    /**
     * A failed attempt.
     *
     * @param attempts that failed so far, this one included
     */
    record Failure(EntryId id, int attempts) {}

    /** Set an entry handed out before aside durably: not handed out again until replayed. */
    record MakeDeadLetter(EntryId id, int attempts, String reason) implements OutboxCommand {}

    /** Answered by {@link OutboxEvent.DeadLetterPage}: at most {@code max} dead letters of a queue after an id, in order. */
    record ListDeadLetters(String queue, @Nullable EntryId after, int max, Object token) implements OutboxCommand {}

    /** Make dead letters live again; all of the queue when {@code ids} is null. Answer: {@link OutboxEvent.Changed}. */
    record ReplayDeadLetters(String queue, @Nullable List<EntryId> ids, Object token) implements OutboxCommand {}

    /** Remove dead letters everywhere; all of the queue when {@code ids} is null. Answer: {@link OutboxEvent.Changed}. */
    record DeleteDeadLetters(String queue, @Nullable List<EntryId> ids, Object token) implements OutboxCommand {}

    /**
     * From now on this node hands entries of a queue over instead of forwarding them (6.18).
     *
     * @param targets who may take them; a pure function
     */
    record HandOver(String queue, Predicate<PeerSelection.Candidate> targets) implements OutboxCommand {}

    /** Whether this node may adopt now (for example: can it reach the consumer?). Initially true. */
    record AllowAdoption(boolean allowed) implements OutboxCommand {}

    /** Answered by {@link OutboxEvent.Statistics}. */
    record ReadStatistics(Object token) implements OutboxCommand {}
}
