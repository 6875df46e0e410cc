package io.georep.outbox.core;

import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.OutboxStatistics;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.Ledger;
import io.georep.outbox.core.owners.Restoration;
import io.georep.outbox.core.sets.SequenceView;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Read-only look into the outbox of one node, for checkers. Call it on the loop's thread, between turns. */
public final class OutboxView {
    /**
     * One live entry.
     *
     * @param state RECEIVED while its put waits for copies, STORED at the holder, COPY for a copy
     * @param taken whether the application has it
     * @param dead whether it is a dead letter
     * @param heldBack whether it waits for answers after a late restart
     */
    public record Held(
            EntryId id,
            String queue,
            EntryState state,
            long epoch,
            List<NodeId> owners,
            List<NodeId> order,
            @Nullable NodeId adoptedFrom,
            boolean taken,
            boolean dead,
            boolean heldBack) {}

    private final Ledger ledger;
    private final Restoration restoration;

    OutboxView(Ledger ledger, Restoration restoration) {
        this.ledger = ledger;
        this.restoration = restoration;
    }

    Ledger ledger() {
        return ledger;
    }

    /** Returns all live entries, in the order of their ids. */
    public List<Held> held() {
        List<Held> all = new ArrayList<>();
        ledger.tables().forEach(table -> all.addAll(held(table)));
        return all;
    }

    /** Returns the live entries of one stream in the order of their numbers. */
    static List<Held> held(StreamTable table) {
        List<Held> all = new ArrayList<>();
        for (Custodies.Part part : table.parts()) {
            if (part.custody().state() != EntryState.REMOVED) {
                part.members().forEachRun(0, Long.MAX_VALUE, (from, to) -> {
                    for (long sequence = from; sequence < to; sequence++) {
                        all.add(held(table, part.custody(), sequence));
                    }
                });
            }
        }
        all.sort((a, b) -> a.id().compareTo(b.id()));
        return all;
    }

    /** Returns a live entry; null if this node does not hold it. */
    public @Nullable Held find(EntryId id) {
        StreamTable table = ledger.find(id.stream());
        Custody custody = table == null ? null : table.custodyOf(id.sequence());
        return table == null || custody == null || custody.state() == EntryState.REMOVED
                ? null
                : held(table, custody, id.sequence());
    }

    private static Held held(StreamTable table, Custody custody, long sequence) {
        return new Held(
                new EntryId(table.id, sequence),
                table.queue,
                table.pending.contains(sequence) ? EntryState.RECEIVED : custody.state(),
                custody.epoch(),
                custody.owners(),
                custody.order(),
                custody.adoptedFrom(),
                table.taken.contains(sequence),
                table.dead.contains(sequence),
                table.heldBack.contains(sequence));
    }

    /** Returns the number of live entries of this node. */
    public long liveCount() {
        long count = 0;
        for (StreamTable table : ledger.tables()) {
            count += table.count(EntryState.HELD) + table.count(EntryState.COPY);
        }
        return count;
    }

    /** Returns whether a tombstone exists. */
    public boolean isFinished(EntryId id) {
        return ledger.look(id.stream(), "").finished.contains(id.sequence());
    }

    /** Returns how many finished or released entries some owner has yet to confirm. */
    public long deletesUntold() {
        long count = 0;
        for (StreamTable table : ledger.tables()) {
            count += table.duties.untold.total() + table.duties.unreleased.total();
        }
        return count;
    }

    /** Returns how many claims some owner has yet to confirm. */
    public long claimsUnconfirmed() {
        long count = 0;
        for (StreamTable table : ledger.tables()) {
            count += table.duties.unconfirmed.total();
        }
        return count;
    }

    /** Returns how many entries held here have fewer than f + 1 copies, as far as this node knows. */
    public long shortOfCopies() {
        return restoration.shortOfCopies();
    }

    /** Returns the number of tombstones above the floors. */
    public long tombstones() {
        long count = 0;
        for (StreamTable table : ledger.tables()) {
            count += table.finished.above().size();
        }
        return count;
    }

    /**
     * Counts what there is.
     *
     * @param waiting puts that have no answer yet
     */
    OutboxStatistics statistics(OutboxContext context, long waiting, long nowNanos) {
        OutboxContext.Counters counters = context.counters;
        Map<String, Long> held = new TreeMap<>();
        Map<String, Long> dead = new TreeMap<>();
        Map<String, Long> undecided = new TreeMap<>();
        Map<NodeId, Long> copiesOf = new TreeMap<>();
        long heldBack = 0;
        for (StreamTable table : ledger.tables()) {
            held.merge(table.queue, table.count(EntryState.HELD) - heldOf(table, table.pending), Long::sum);
            dead.merge(table.queue, table.dead.size(), Long::sum);
            long open = heldOf(table, table.prepared);
            if (open > 0) {
                undecided.merge(table.queue, open, Long::sum);
            }
            for (Custodies.Part part : table.parts()) {
                if (part.custody().state() == EntryState.COPY) {
                    copiesOf.merge(part.custody().first(), part.members().size(), Long::sum);
                }
            }
            heldBack += table.heldBack.size();
        }
        return new OutboxStatistics(
                counters.accepted,
                counters.acknowledged,
                counters.rejected,
                counters.indeterminate,
                counters.forwarded,
                counters.adopted,
                counters.ceded,
                counters.replaced,
                counters.endsRefused,
                waiting,
                held,
                dead,
                undecided,
                copiesOf.values().stream().mapToLong(Long::longValue).sum(),
                heldBack,
                shortOfCopies(),
                deletesUntold(),
                tombstones(),
                copiesOf,
                context.takeovers.all(nowNanos));
    }

    /** Returns how many of these entries this node holds: others may have taken over some of them. */
    private static long heldOf(StreamTable table, SequenceView entries) {
        return entries.isEmpty()
                ? 0
                : table.inState(EntryState.HELD, entries.all()).size();
    }
}
