package io.georep.outbox.core.messages;

import io.georep.model.EntryId;
import io.georep.model.GeoRepException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.OutboxStatistics;
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.core.stream.LateOwners;
import io.georep.outbox.core.stream.OwnerLease;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the outbox protocol tells the application side. */
public sealed interface OutboxEvent {
    /** Puts succeeded: put number i of the list has the id (stream, first + i) and f+1 durable copies (rule o3). */
    record Stored(StreamId stream, long first, List<OutboxCommand.Put> puts) implements OutboxEvent {}

    /** Puts failed; the exception tells whether anything may have been stored (rules o1, o5). */
    record PutFailed(List<OutboxCommand.Put> puts, GeoRepException cause) implements OutboxEvent {}

    /** Entries for the application to forward; they stay with it until Forwarded, Return or GiveUp. */
    record Deliver(String queue, List<Delivered> entries) implements OutboxEvent {}

    /**
     * The node asks the application to give back those of these entries that no handler has: another node has claimed or
     * ended them, or is to take them over. The answer is a {@link OutboxCommand.Return}; entries that a handler has, or that
     * are on their way to the node, are left out.
     */
    record Recall(String queue, RecalledEntries entries) implements OutboxEvent {}

    /**
     * One entry handed over.
     *
     * @param id its id
     * @param payload the bytes of the put
     * @param adoptedFrom the node this one took the entry over from, null unless adopted
     * @param epoch how often the entry changed its holder or owners
     * @param cause why somebody may have forwarded it before it was handed over (6.16); null if nobody can have
     * @param leases of the other owners: when one of them is over, somebody may have forwarded it since
     * @param lateOwners those that came while the application had it in its hands
     * @param attempts that failed so far, on whichever node (6.13)
     */
    record Delivered(
            EntryId id,
            Slice payload,
            @Nullable NodeId adoptedFrom,
            long epoch,
            @Nullable RepetitionCause cause,
            List<OwnerLease> leases,
            LateOwners lateOwners,
            int attempts) {
        /** An entry that concerns no node but this one. */
        public Delivered(EntryId id, Slice payload, @Nullable NodeId adoptedFrom, long epoch) {
            this(id, payload, adoptedFrom, epoch, null, List.of(), LateOwners.NONE, 0);
        }

        /** Returns the same entry without the other entries of its group, whose bytes a payload shares. */
        public Delivered alone() {
            return payload.length() == payload.array().length
                    ? this
                    : new Delivered(
                            id, Slice.of(payload.toArray()), adoptedFrom, epoch, cause, leases, lateOwners, attempts);
        }

        /** Returns whether somebody may have forwarded it before it was handed over. */
        public boolean possiblySent() {
            return cause != null;
        }

        /**
         * Returns why somebody may have forwarded it by now; null if nobody can have.
         *
         * @param nowNanos this node's monotonic clock
         * @param nowMillis its wall clock
         */
        public @Nullable RepetitionCause causeAt(long nowNanos, long nowMillis) {
            if (cause != null) {
                return cause;
            }
            for (OwnerLease lease : leases) {
                if (!lease.holdsAt(nowNanos, nowMillis)) {
                    return RepetitionCause.UNPROVEN;
                }
            }
            return lateOwners.mayHaveForwarded(id.sequence(), nowNanos, nowMillis) ? RepetitionCause.UNPROVEN : null;
        }
    }

    /** This node became the holder of entries of another (rule b3); the entries follow as Deliver, in windows. */
    record Adopted(String queue, NodeId from, long entries) implements OutboxEvent {}

    /**
     * This node adopts nothing for so long, because a process of it told peers of a longer T_s + T_x (6.6.14); zero: it does
     * from now on.
     */
    record AdoptionPaused(Duration left) implements OutboxEvent {}

    /** This node ceded entries to another holder (rules o8, b8): they will not be handed out here. */
    record Ceded(NodeId to, long entries) implements OutboxEvent {}

    /**
     * Entries that this node accepted in this boot were finished elsewhere, before the application here had them in its hands:
     * another holder forwarded them.
     */
    record FinishedElsewhere(String queue, StreamId stream, long entries) implements OutboxEvent {}

    /**
     * A peer said that copies kept here are not needed any more, and is neither origin nor owner of their entries: it was not
     * believed. At most one in a minute.
     */
    record EndRefused(String queue, NodeId from, long entries) implements OutboxEvent {}

    /** An owner lost its copies of so many entries this node holds; they are being copied to it again (6.8.6). */
    record CopiesMissing(String queue, NodeId owner, long entries) implements OutboxEvent {}

    /** An owner has all its copies of a stream again. */
    record CopiesRestored(String queue, NodeId owner) implements OutboxEvent {}

    /**
     * This node holds prepared entries that nobody here has decided: found at boot or adopted. List them, then decide.
     */
    record UndecidedFound(String queue, long entries) implements OutboxEvent {}

    /** Answer to {@link OutboxCommand.ListUndecided}. */
    record Undecided(Object token, List<Delivered> entries, boolean more) implements OutboxEvent {}

    /** Answer to ListDeadLetters. */
    record DeadLetterPage(Object token, List<DeadLetter> letters, boolean more) implements OutboxEvent {}

    /**
     * One dead letter.
     *
     * @param id the entry
     * @param payload its bytes
     * @param attempts how often it was tried
     * @param reason last error
     * @param atMillis wall clock when it was set aside
     */
    record DeadLetter(EntryId id, Slice payload, int attempts, String reason, long atMillis) {}

    /** Answer to ReplayDeadLetters and DeleteDeadLetters: how many entries it concerned. */
    record Changed(Object token, long entries) implements OutboxEvent {}

    /** Answer to ReadStatistics. */
    record Statistics(Object token, OutboxStatistics statistics) implements OutboxEvent {}
}
