package io.georep.outbox.core.holder;

import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.List;

/**
 * Entries whose producer has not decided yet: replicated before its transaction commits, handed out after. The
 * decision is durable here and told to the other owners. An owner that adopts without having heard of a decision asks
 * its application.
 */
public final class Prepared {
    private final OutboxContext context;
    private final Deliveries deliveries;
    private final Completion completion;

    public Prepared(OutboxContext context, Deliveries deliveries, Completion completion) {
        this.context = context;
        this.deliveries = deliveries;
        this.completion = completion;
    }

    /**
     * Tells the application at boot what is undecided, and tells other holders again what this node decided before: they may
     * have missed it.
     */
    public void boot(Turn turn) {
        for (StreamTable table : context.ledger.tables()) {
            report(table, table.prepared.all(), turn);
            if (table.id.origin().equals(context.self())) {
                table.mayKnowCommits();
            }
        }
    }

    /** Takes the decision, to commit or to withdraw, of the application that sent the entries or of the one at their holder. */
    public void decide(List<EntryId> ids, boolean commit, Turn turn) {
        for (EntryId id : ids) {
            StreamTable table = context.ledger.find(id.stream());
            Custodies.Part part = table == null ? null : table.partOf(id.sequence());
            if (table != null && part != null && table.prepared.contains(id.sequence())) {
                RangeList entry = RangeList.of(id.sequence(), id.sequence() + 1);
                if (part.custody().state() == EntryState.HELD) {
                    decide(table, part.custody(), entry, commit, turn);
                } else if (id.origin().equals(context.self())) {
                    tell(table, part.custody(), entry, commit, turn);
                }
            }
        }
    }

    /** Tells the decision to those that took the entry over before its producer decided here, so that they act on it. */
    private void tell(StreamTable table, Custody custody, RangeList entry, boolean commit, Turn turn) {
        List<NodeId> others = custody.others(context.self());
        turn.store().requireDurable();
        if (commit) {
            context.ledger.note(table, Fact.Mark.DECIDED, entry);
            others.forEach(owner -> context.outgoing.decided(owner, table, entry));
        } else {
            context.ledger.finished(table, entry, others, turn);
            others.forEach(owner -> context.outgoing.delete(owner, table, entry));
        }
    }

    private void decide(StreamTable table, Custody custody, RangeList ranges, boolean commit, Turn turn) {
        if (!commit) {
            turn.store().requireDurable();
            completion.finish(table, ranges, turn);
            return;
        }
        context.ledger.note(table, Fact.Mark.DECIDED, ranges);
        for (NodeId owner : custody.others(context.self())) {
            context.outgoing.decided(owner, table, ranges);
        }
        offerWhenDurable(table, ranges, turn);
    }

    /** Offers entries when this turn is durable: this node may have adopted them in the batch that is being written. */
    private void offerWhenDurable(StreamTable table, RangeList ranges, Turn turn) {
        turn.whenDurable(later -> {
            RangeList held = table.inState(EntryState.HELD, ranges).all();
            deliveries.offer(table, held.without(table.pending.within(held)), null);
        });
    }

    /**
     * A node that was out of reach may have missed commits of this node. This concerns the holder, and the owner that takes
     * over from it.
     */
    public void peerReachable(Peer peer) {
        for (StreamTable table : context.ledger.tables()) {
            for (Custodies.Part part : table.parts()) {
                Custody custody = part.custody();
                // The holder tells all other owners, and so does a producer that is no owner any more.
                boolean mayFollow = custody.state() != EntryState.COPY
                        && context.isOfThisBoot(table)
                        && custody.owners().contains(peer.id());
                if (mayFollow || custody.first().equals(peer.id())) {
                    tellCommits(context, peer.id(), table, part.members().all());
                }
            }
        }
    }

    /**
     * Tells the present holders of entries which of them are committed, as far as this node knows. Entries that it was released
     * of may never have been here, unless they are of this boot.
     */
    public static void tellCommits(OutboxContext context, NodeId holder, StreamTable table, RangeList entries) {
        if (table.knowsCommits()) {
            SequenceSet known = live(table, entries);
            if (context.isOfThisBoot(table)) {
                known.addAll(table.inState(EntryState.REMOVED, entries).all());
            }
            RangeList all = known.all();
            context.outgoing.decided(holder, table, all.without(table.prepared.within(all)));
        }
    }

    private static SequenceSet live(StreamTable table, RangeList entries) {
        SequenceSet live = table.inState(EntryState.HELD, entries);
        live.addAll(table.inState(EntryState.COPY, entries).all());
        return live;
    }

    /**
     * DECIDED: the producer committed, at the holder or at the origin. Of what this node was released of only its own producer
     * decides.
     */
    public void decided(StreamTable table, RangeList ranges, Turn turn) {
        RangeList open = table.prepared.within(live(table, ranges).all());
        if (!open.isEmpty()) {
            context.ledger.note(table, Fact.Mark.DECIDED, open);
            offerWhenDurable(table, open, turn);
        }
    }

    /** Tells the application of prepared entries this node holds without knowing their producer. */
    void report(StreamTable table, RangeList ranges, Turn turn) {
        long open = table.prepared
                .within(table.inState(EntryState.HELD, ranges).all())
                .total();
        if (open > 0) {
            turn.notify(new OutboxEvent.UndecidedFound(table.queue, open));
        }
    }

    public void list(OutboxCommand.ListUndecided command, Turn turn) {
        EntryPage.read(
                context,
                command.queue(),
                command.after(),
                command.max(),
                table -> table.inState(EntryState.HELD, table.prepared.all()),
                (found, more, later) -> later.notify(new OutboxEvent.Undecided(
                        command.token(), found.stream().map(Prepared::delivered).toList(), more)),
                turn);
    }

    private static OutboxEvent.Delivered delivered(EntryPage.Found found) {
        Custody custody = found.custody();
        return new OutboxEvent.Delivered(found.id(), found.payload(), custody.adoptedFrom(), custody.epoch());
    }
}
