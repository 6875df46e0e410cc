package io.georep.outbox.core.owners;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.holder.DeadLetterStore;
import io.georep.outbox.core.holder.Deliveries;
import io.georep.outbox.core.holder.Prepared;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.ledger.TableRound;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * New owners for old entries: when an owner is lost for good (G16), was removed (p12) or is being drained, the holder
 * copies its entries to another node and then swaps the owners; when the holder itself is drained, it hands its entries
 * to the next live owner. A node that does not forward a queue hands its entries over, too, and makes copies at nodes that
 * take them (6.18). {@link CopyTransfers} carries the payloads.
 */
public final class Relocation {
    /** Most streams looked at in one go. */
    public static final int TABLES_PER_TICK = 256;

    /** The custody before and after, which node gets the copy, and which owner it replaces. */
    private record Plan(
            StreamTable table,
            Custody before,
            Custody after,
            NodeId target,
            @Nullable NodeId lost) {}

    private final OutboxContext context;
    private final Claims claims;
    private final Deliveries deliveries;
    private final DeadLetterStore deadLetters;
    private final Restoration restoration;
    private final CopyTransfers transfers;
    private final TableRound inNeed;
    private final TableRound handedOver;

    public Relocation(
            OutboxContext context,
            Claims claims,
            Deliveries deliveries,
            DeadLetterStore deadLetters,
            Restoration restoration,
            CopyTransfers transfers) {
        this.context = context;
        this.claims = claims;
        this.deliveries = deliveries;
        this.deadLetters = deadLetters;
        this.restoration = restoration;
        this.transfers = transfers;
        inNeed = new TableRound(context.ledger, TABLES_PER_TICK);
        handedOver = new TableRound(context.ledger, TABLES_PER_TICK);
    }

    /** Called about once a second, and whenever a page is done. */
    public void tick(Turn turn) {
        if (context.peers.leaving()) {
            return;
        }
        transfers.tick(turn);
        handOver(turn);
        goOn(turn);
    }

    private void goOn(Turn turn) {
        if (!context.peers.leaving() && transfers.isIdle() && !restoration.startPage(turn)) {
            startPage(turn);
        }
    }

    /** ACK of a transfer. */
    public void acknowledged(Peer from, StreamTable table, int status, long epoch, RangeList ranges, Turn turn) {
        if (transfers.acknowledged(from, table, status, epoch, ranges, turn)) {
            goOn(turn);
        }
    }

    /** Looks for entries that need another owner, and reads the first page of them. */
    private void startPage(Turn turn) {
        for (StreamTable table : inNeed.nextForEver()) {
            for (Custodies.Part part : table.parts()) {
                Custody custody = part.custody();
                if (custody.state() != EntryState.HELD) {
                    continue;
                }
                boolean heirless = context.handOverTargets.handsOver(table.queue)
                        && !context.handOverTargets.expected(table.queue, custody);
                boolean alone = heirless && custody.owners().size() == 1;
                NodeId lost = lostOwner(custody, heirless, turn);
                RangeList free =
                        lost != null || alone ? settled(table, part.members().all()) : new RangeList();
                if (!free.isEmpty()
                        && !substitutes(table, custody, lost, heirless, turn).isEmpty()) {
                    transfers.readFrom(
                            table,
                            free.from(0),
                            (pairs, later) -> pageRead(table, custody, lost, heirless, pairs, later),
                            turn);
                    inNeed.stayAt(table);
                    return;
                }
            }
        }
    }

    private static RangeList settled(StreamTable table, RangeList ranges) {
        return ranges.without(table.pending.within(ranges))
                .without(table.heldBack.within(ranges))
                .without(table.finishedElsewhere.within(ranges));
    }

    private @Nullable NodeId lostOwner(Custody custody, boolean heirless, Turn turn) {
        List<NodeId> others = custody.others(context.self());
        for (NodeId owner : others) {
            Peer peer = turn.ensurePeer(owner);
            if (isLost(peer, turn.now()) || (heirless && peer.state() == PeerState.TERMINATED)) {
                return owner;
            }
        }
        // Somebody has to make room for a target.
        return heirless && !others.isEmpty() ? others.get(others.size() - 1) : null;
    }

    private boolean isLost(Peer peer, long now) {
        Duration after = context.config.reReplicateAfter();
        boolean goneForGood = after != null
                && peer.state() == PeerState.TERMINATED
                && now - peer.stateSinceNanos() >= after.toNanos();
        return peer.removed() || peer.drained() || goneForGood;
    }

    /**
     * Returns the nodes that can take a copy. An entry without a target goes to a target; to another node only if an
     * owner is lost for good, or if this node is drained.
     */
    private List<NodeId> substitutes(
            StreamTable table, Custody custody, @Nullable NodeId lost, boolean heirless, Turn turn) {
        List<NodeId> excluded = new ArrayList<>(custody.owners());
        excluded.addAll(transfers.paused(turn.now()));
        if (heirless) {
            List<NodeId> targets = context.candidates.choose(
                    1,
                    candidate -> context.handOverTargets.suits(table.queue, context.peers.find(candidate.id())),
                    excluded,
                    turn.now(),
                    turn.random());
            boolean anyWillDo = lost == null ? context.peers.selfDrained() : isLost(turn.ensurePeer(lost), turn.now());
            if (!targets.isEmpty() || !anyWillDo) {
                return targets;
            }
        }
        return context.candidates.choose(1, excluded, turn.now(), turn.random());
    }

    private void pageRead(
            StreamTable table,
            Custody custody,
            @Nullable NodeId lost,
            boolean heirless,
            List<EntryStore.Pair> pairs,
            Turn turn) {
        List<NodeId> target = substitutes(table, custody, lost, heirless, turn);
        if (target.isEmpty()) {
            return;
        }
        Custody after = lost == null ? custody.widened(target.get(0)) : custody.replaced(lost, target.get(0));
        Plan plan = new Plan(table, custody, after, target.get(0), lost);
        for (EntryStore.Pair pair : pairs) {
            Group group = Group.decode(pair.value());
            RangeList under = settled(table, stillUnder(plan, RangeList.of(group.first, group.to())));
            for (Group piece : group.parts(under, after, table.prepared)) {
                // Until the copy is acknowledged the target counts as a former owner: whatever happens, it will be
                // told, and from now on it may adopt.
                RangeList entries = RangeList.of(piece.first, piece.to());
                context.ledger.note(table, Fact.Duty.REPLACED, plan.target, entries);
                context.leases.joins(plan.target, table, entries, turn.now());
                turn.store().requireDurable();
                transfers.start(new Swap(plan, piece), turn);
            }
        }
    }

    /** A copy for a new owner, which takes the place of a lost one once it is durable. */
    private final class Swap extends CopyTransfers.Transfer {
        private final Plan plan;

        Swap(Plan plan, Group group) {
            super(plan.table, group, plan.target);
            this.plan = plan;
        }

        @Override
        void stored(RangeList ranges, Turn turn) {
            RangeList still = stillUnder(plan, ranges);
            if (still.isEmpty()) {
                return;
            }
            context.counters.replaced += still.total();
            context.ledger.custody(table, still, plan.after, turn);
            context.ledger.note(table, Fact.Duty.RELEASED, target, still);
            NodeId lost = plan.lost;
            if (lost != null) {
                context.ledger.note(table, Fact.Duty.REPLACED, lost, still);
                context.outgoing.release(lost, table, plan.after, still);
            }
            claims.announce(table, plan.after, still);
            turn.store().requireDurable();
        }

        /** Raises the epoch above the target's possible copy and tells it to drop that. */
        @Override
        void givenUp(RangeList ranges, Turn turn) {
            RangeList still = stillUnder(plan, ranges);
            if (!still.isEmpty()) {
                Custody back = plan.before.withEpoch(plan.after.raised());
                context.ledger.custody(table, still, back, turn);
                // Once more: meanwhile it may have confirmed an earlier release.
                context.ledger.note(table, Fact.Duty.REPLACED, target, still);
                context.outgoing.release(target, table, back, still);
                claims.announce(table, back, still);
                turn.store().requireDurable();
            }
        }
    }

    private static RangeList stillUnder(Plan plan, RangeList ranges) {
        SequenceSet still = new SequenceSet();
        for (Custodies.Part part : plan.table.parts()) {
            if (part.custody().equals(plan.before)) {
                still.addAll(part.members().within(ranges));
            }
        }
        return still.all();
    }

    /** Entries of a drained node, and of queues that this node does not forward, go to another owner. */
    private void handOver(Turn turn) {
        if (!isHandingOver()) {
            return;
        }
        for (StreamTable table : handedOver.nextForEver()) {
            handOver(table, RangeList.of(0, Long.MAX_VALUE), turn);
        }
    }

    private boolean isHandingOver() {
        return !context.peers.leaving() && context.handOverTargets.any();
    }

    /** These entries, if they are to leave this node: what the application has is asked for, and leaves once it is back. */
    void handOver(StreamTable table, RangeList ranges, Turn turn) {
        if (!isHandingOver()) {
            return;
        }
        for (Custodies.Part part : table.parts()) {
            Custody custody = part.custody();
            boolean given = custody.state() == EntryState.HELD && context.handOverTargets.handsOver(table.queue);
            NodeId target = given ? context.handOverTargets.among(table.queue, custody) : null;
            if (target != null) {
                RangeList free = settled(table, part.members().within(ranges))
                        .without(restoration.unconfirmed(table, part, target))
                        .without(undecided(table));
                RangeList taken = table.taken.within(free);
                context.recalls.ask(table, taken);
                handOver(table, free.without(taken), custody.handedTo(target), turn);
            }
        }
    }

    /**
     * Entries that a producer at this node has yet to decide: no other node should ask about them, because they are decided
     * here in a moment.
     */
    private RangeList undecided(StreamTable table) {
        return context.isOfThisBoot(table) ? table.prepared.all() : new RangeList();
    }

    private void handOver(StreamTable table, RangeList free, Custody after, Turn turn) {
        if (!free.isEmpty()) {
            Prepared.tellCommits(context, after.first(), table, free);
            deliveries.withdraw(table, free);
            deadLetters.forget(table, free);
            context.ledger.custody(table, free, after, turn);
            context.counters.ceded += free.total();
            context.takeovers.passed(table, after.first(), free.total(), turn.now());
            claims.announce(table, after, free);
            turn.store().requireDurable();
            turn.notify(new OutboxEvent.Ceded(after.first(), free.total()));
        }
    }
}
