package io.georep.outbox.core.holder;

import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.Archive;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Alarms;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The end of an entry (6.5, 6.9): forwarded here, deleted everywhere, tombstones that outlive it. */
public final class Completion {
    private final OutboxContext context;
    private final PendingPuts pendingPuts;
    private final Deliveries deliveries;
    private final DeadLetterStore deadLetters;
    public final SettledNews news;

    /** When each stream may be over: a heartbeat looks at no others. */
    private final Alarms<StreamTable> ends = new Alarms<>(this::mayEndAt, Comparator.comparing(table -> table.id));

    public Completion(
            OutboxContext context, PendingPuts pendingPuts, Deliveries deliveries, DeadLetterStore deadLetters) {
        this.context = context;
        this.pendingPuts = pendingPuts;
        this.deliveries = deliveries;
        this.deadLetters = deadLetters;
        news = new SettledNews(context);
    }

    /** Names that were forgotten while this node was down. */
    public void boot() {
        Set<NodeId> owed = new TreeSet<>();
        context.ledger.tables().forEach(table -> owed.addAll(table.duties.owedTo()));
        owed.removeIf(owner -> context.peers.find(owner) != null);
        owed.forEach(this::forget);
    }

    /** Rules o6, o7, b4: the application forwarded entries this node holds, handed out or known to it by another way. */
    public void forwarded(List<EntryId> ids, Turn turn) {
        Map<StreamTable, SequenceSet> byStream = new LinkedHashMap<>();
        StreamTable table = null;
        SequenceSet members = null;
        for (EntryId id : ids) {
            if (table == null || !table.id.equals(id.stream())) {
                table = context.ledger.find(id.stream());
                members = table == null ? null : byStream.computeIfAbsent(table, none -> new SequenceSet());
            }
            if (members != null) {
                members.add(id.sequence());
            }
        }
        byStream.forEach((stream, done) -> {
            RangeList held = stream.inState(EntryState.HELD, done.all()).all();
            RangeList finished = held.without(stream.pending.within(held));
            deliveries.withdraw(stream, finished);
            context.counters.forwarded += finished.total();
            finish(stream, finished, turn);
        });
    }

    /** Ends entries this node holds: the mark first, then DELETE to all other owners. */
    void finish(StreamTable table, RangeList ranges, Turn turn) {
        for (Custodies.Part part : table.parts()) {
            RangeList hit = part.members().within(ranges);
            if (!hit.isEmpty() && part.custody().state() == EntryState.HELD) {
                List<NodeId> others = toTell(table, part.custody(), turn);
                List<NodeId> released = List.copyOf(table.duties.unreleased.owners());
                context.ledger.finished(table, hit, others, turn);
                others.forEach(other -> context.outgoing.delete(other, table, hit));
                for (NodeId owner : released) {
                    context.outgoing.delete(
                            owner, table, table.duties.untold.of(owner).within(hit));
                }
            }
        }
    }

    /**
     * Returns the other owners, and the origin even if it is no owner any more. Only SETTLED of the origin lets tombstones
     * merge into a floor, and lets released owners forget the entries.
     */
    private List<NodeId> toTell(StreamTable table, Custody custody, Turn turn) {
        List<NodeId> others = custody.others(context.self());
        NodeId origin = table.id.origin();
        if (!origin.equals(context.self()) && !others.contains(origin)) {
            turn.ensurePeer(origin);
            others.add(origin);
        }
        return others;
    }

    /** DELETE (rules b5, b6, b7): somebody else is done with these entries. */
    public void delete(Peer from, StreamTable table, RangeList ranges, Turn turn) {
        RangeList believed = context.senderRights.believed(from.id(), table, ranges, turn);
        RangeList busy = endElsewhere(from, table, context.senderRights.mayFinish(from.id(), table, believed), turn);
        context.outgoing.deleted(from.id(), table, believed.without(busy));
    }

    /** Answers the entries the application is working on: it may finish them (rule b7). */
    private RangeList endElsewhere(Peer from, StreamTable table, RangeList ranges, Turn turn) {
        SequenceSet held = table.inState(EntryState.HELD, ranges);
        RangeList busy = table.taken.within(held.all());
        table.finishedElsewhere(busy);
        context.recalls.ask(table, busy);
        RangeList finished = ranges.without(busy);
        RangeList fresh = finished.without(table.finished.within(finished));
        if (!fresh.isEmpty()) {
            pendingPuts.finishedByOther(table, table.pending.within(fresh), turn);
            RangeList withdrawn = held.within(fresh);
            deliveries.withdraw(table, withdrawn);
            deadLetters.forget(table, withdrawn);
            finishHeld(from, table, withdrawn, turn);
            context.ledger.finished(table, fresh.without(table.finished.within(fresh)), List.of(), turn);
            tellFinishedElsewhere(table, fresh, turn);
        }
        return busy;
    }

    private void tellFinishedElsewhere(StreamTable table, RangeList finished, Turn turn) {
        if (context.isOfThisBoot(table)) {
            turn.notify(new OutboxEvent.FinishedElsewhere(table.queue, table.id, finished.total()));
        }
    }

    /** The node that ended these entries may know other owners than this node does, so this node tells those that it knows. */
    private void finishHeld(Peer from, StreamTable table, RangeList ranges, Turn turn) {
        for (Custodies.Part part : table.parts()) {
            RangeList hit = part.members().within(ranges);
            if (!hit.isEmpty()) {
                List<NodeId> others = part.custody().others(context.self());
                others.remove(from.id());
                context.ledger.finished(table, hit, others, turn);
                others.forEach(other -> context.outgoing.delete(other, table, hit));
            }
        }
    }

    /**
     * Takes entries back from the application, and ends those that were finished elsewhere meanwhile.
     *
     * @return the others
     */
    public RangeList endGivenBack(StreamTable table, RangeList entries, Turn turn) {
        RangeList finished = table.finishedElsewhere.within(entries);
        if (finished.isEmpty()) {
            return entries;
        }
        deliveries.withdraw(table, finished);
        finish(table, finished, turn);
        tellFinishedElsewhere(table, finished, turn);
        return entries.without(finished);
    }

    /** DELETED: an owner confirms that it knows of the end of these entries. */
    public void deleted(Peer from, StreamTable table, RangeList ranges) {
        context.ledger.note(
                table,
                Fact.Duty.TOLD,
                from.id(),
                table.duties.untold.of(from.id()).within(ranges));
    }

    /** RELEASED: a former owner confirms that it was released. */
    public void released(Peer from, StreamTable table, RangeList ranges) {
        context.ledger.note(
                table,
                Fact.Duty.RELEASED,
                from.id(),
                table.duties.unreleased.of(from.id()).within(ranges));
    }

    /**
     * SETTLED: the origin says which entries of its stream are finished. Makes up for lost DELETEs, and lets the tombstones
     * here merge into one floor.
     */
    public void settled(Peer from, StreamTable table, RangeList ranges, Turn turn) {
        if (from.id().equals(table.id.origin())) {
            endElsewhere(from, table, ranges, turn);
        }
    }

    /** Called about once a second, with the streams in which something changed since. */
    public void tick(List<StreamTable> changed, Turn turn) {
        for (StreamTable table : changed) {
            if (!table.away) {
                ends.set(table);
                news.changed(table);
            }
        }
        news.tick();
        expire(turn);
    }

    /** Puts streams away in which nothing is left to do, and gives up owners that were gone for as long (6.9). */
    private void expire(Turn turn) {
        long life = lifeNanos();
        context.ledger.grow();
        for (StreamTable table : ends.due(turn.now())) {
            long quiet = turn.now() - table.touchedNanos;
            if (quiet > life) {
                tellNoLonger(table);
            }
            if (quiet > context.ledger.age.stepNanos() && table.isQuiet() && isOver(table, quiet > life)) {
                context.ledger.forget(table);
                context.openQueries.forget(table);
                pendingPuts.forget(table);
                news.putAway(table);
            } else {
                table.examinedNanos = turn.now();
                ends.set(table);
            }
        }
    }

    /**
     * Stops telling owners that have not confirmed for so long: they are gone. Former owners of entries that are live here are
     * told all the same.
     */
    private void tellNoLonger(StreamTable table) {
        for (NodeId owner : List.copyOf(table.duties.untold.owners())) {
            context.ledger.note(
                    table, Fact.Duty.TOLD, owner, table.duties.untold.of(owner).all());
        }
        if (table.count(EntryState.HELD) + table.count(EntryState.COPY) == 0) {
            for (NodeId owner : List.copyOf(table.duties.unreleased.owners())) {
                context.ledger.note(
                        table,
                        Fact.Duty.RELEASED,
                        owner,
                        table.duties.unreleased.of(owner).all());
            }
        }
    }

    /** Forgets a peer: it is told nothing more, also not of streams that never come to rest. */
    public void forget(NodeId name) {
        news.forget(name);
        context.ledger.tables().forEach(table -> forget(table, name));
    }

    private void forget(StreamTable table, NodeId name) {
        RangeList unreleased = table.duties.unreleased.of(name).all();
        // Now nobody can say whether that node adopted and forwarded them.
        SequenceSet uncertain = table.inState(EntryState.HELD, unreleased);
        uncertain.addAll(table.duties.unproven.of(name).all());
        context.ledger.uncertain(table, uncertain.all());
        context.ledger.note(table, Fact.Duty.RELEASED, name, unreleased);
        context.ledger.note(
                table,
                Fact.Duty.CONFIRMED,
                name,
                table.duties.unconfirmed.of(name).all());
        context.ledger.note(
                table, Fact.Duty.TOLD, name, table.duties.untold.of(name).all());
    }

    /**
     * Returns when a stream is to be looked at next: when it has been quiet for one step, and again when it has been
     * quiet for as long as tombstones live. Only a change makes it end at another time.
     */
    private long mayEndAt(StreamTable table) {
        long examined = table.examinedNanos == Long.MIN_VALUE ? 0 : table.examinedNanos - table.touchedNanos;
        long quiet = context.ledger.age.stepNanos();
        if (examined > quiet) {
            quiet = lifeNanos();
        }
        boolean never = examined > quiet || quiet >= Long.MAX_VALUE / 2;
        return never ? Long.MAX_VALUE : table.touchedNanos + quiet + 1;
    }

    private long lifeNanos() {
        return context.config.tombstoneLife().toNanos();
    }

    /**
     * Returns whether the archive can take the place of a table: at once if that loses nothing, otherwise when the
     * stream is old. A stream of this boot must come back with its next number, which is known only if all numbers
     * before it are finished.
     */
    private boolean isOver(StreamTable table, boolean old) {
        boolean present = context.isOfThisBoot(table);
        boolean fits = SettledNews.resumeAt(table, table.finished.first(0, Archive.RANGES_MAX)) == 0;
        return (news.isSaid(table) && fits && table.parts().isEmpty()) || (old && !present);
    }
}
