package io.georep.outbox.core.owners;

import static io.georep.model.BrokenInvariantException.require;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.holder.DeadLetterStore;
import io.georep.outbox.core.holder.Deliveries;
import io.georep.outbox.core.holder.Prepared;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.sets.SequenceView;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who is the holder (6.6): adoption, claims of other owners, ceding. A node adopts when every owner before it in the
 * order is Terminated, or may not adopt itself; of two claims the one with the higher rank wins, and the loser keeps a copy (G4, G6, G8).
 */
public final class Claims {
    private final OutboxContext context;
    private final Deliveries deliveries;
    private final DeadLetterStore deadLetters;

    private final BootWait bootWait;

    public Claims(OutboxContext context, Deliveries deliveries, DeadLetterStore deadLetters) {
        this.context = context;
        this.deliveries = deliveries;
        this.deadLetters = deadLetters;
        this.bootWait = new BootWait(context.config);
    }

    /**
     * Begins the wait that follows a boot: nothing is adopted before all others would have been given up. In this time
     * the application can say whether this node may adopt.
     */
    public void boot(EntryStore store, Turn turn) {
        bootWait.begin(store, turn);
        evaluateAll(turn);
    }

    /** Called about once a second. */
    public void tick(Turn turn) {
        if (bootWait.ends(turn)) {
            evaluateAll(turn);
        }
    }

    /**
     * Returns whether a peer adopts nothing any more. For a peer that was removed before this boot, this node waits as
     * for one that it does not hear.
     */
    private boolean isGone(Peer peer, Turn turn) {
        boolean before = peer.removed() && peer.stateSinceNanos() == bootWait.beganNanos();
        boolean waits = (before || bootWait.isLonger()) && !bootWait.isOver(turn);
        return !waits && (peer.state() == PeerState.TERMINATED || peer.removed());
    }

    /** Evaluates everything: at the end of boot, after a peer was given up, when adoption is allowed again. */
    public void evaluateAll(Turn turn) {
        for (StreamTable table : List.copyOf(context.ledger.tables())) {
            for (Custodies.Part part : table.parts()) {
                evaluate(table, part.custody(), turn);
            }
        }
    }

    /** Rule b3 for all entries of a stream with this custody. */
    void evaluate(StreamTable table, Custody custody, Turn turn) {
        boolean may = context.rights.allowed() && !context.peers.selfRemoved();
        if (custody.state() == EntryState.COPY && may && isNext(custody, turn)) {
            take(table, custody, turn);
        }
    }

    private void take(StreamTable table, Custody custody, Turn turn) {
        for (Custodies.Part part : table.parts()) {
            if (part.custody().equals(custody)) {
                adopt(table, custody, part.members().all(), turn);
            }
        }
    }

    private boolean isNext(Custody custody, Turn turn) {
        for (NodeId owner : custody.order()) {
            if (owner.equals(context.self())) {
                return true;
            }
            Peer peer = turn.ensurePeer(owner);
            // The first may hold the entry, whether it may adopt others or not.
            boolean makesWay = !owner.equals(custody.first()) && !context.rights.mayAdopt(peer);
            if (!makesWay && !isGone(peer, turn)) {
                return false;
            }
        }
        return false;
    }

    private void adopt(StreamTable table, Custody custody, RangeList ranges, Turn turn) {
        NodeId self = context.self();
        List<NodeId> order = custody.order();
        NodeId from = custody.first().equals(self) ? order.get(order.size() - 1) : custody.first();
        Custody claim = custody.adoptedBy(self);
        claim = new Custody(EntryState.HELD, claim.epoch(), claim.owners(), claim.order(), from);
        // An epoch at its bound rises no more. Only a lying peer brings it there.
        require(
                claim.epoch() > custody.epoch() || claim.epoch() == OutboxBounds.EPOCH.max(),
                "an adoption outranks what was before",
                table);
        context.ledger.custody(table, ranges, claim, turn);
        announce(table, claim, ranges);
        context.counters.adopted += ranges.total();
        context.takeovers.adopted(table, from, ranges.total(), turn.now());
        turn.notifyWhenDurable(new OutboxEvent.Adopted(table.queue, from, ranges.total()));
        turn.whenDurable(later -> offerStill(table, ranges, later));
    }

    /** Hands adopted entries over once the adoption is durable, unless they were ceded or deleted meanwhile. */
    private void offerStill(StreamTable table, RangeList ranges, Turn turn) {
        RangeList held = table.inState(EntryState.HELD, ranges).all();
        deliveries.offer(table, held.without(table.pending.within(held)), null);
        long undecided = table.prepared.within(held).total();
        if (undecided > 0) {
            turn.notify(new OutboxEvent.UndecidedFound(table.queue, undecided));
        }
    }

    /** Tells all other owners of the present claim, until each has confirmed it (G7). */
    void announce(StreamTable table, Custody claim, RangeList ranges) {
        for (NodeId owner : claim.others(context.self())) {
            context.ledger.note(table, Fact.Duty.CLAIMED, owner, ranges);
            context.outgoing.update(owner, table, claim, ranges);
        }
    }

    /** UPDATE. */
    public void update(Peer from, StreamTable table, Custody claim, RangeList ranges, Turn turn) {
        RangeList confirmed = learn(table, ranges, claim, from.id(), turn);
        context.outgoing.updated(from.id(), table, claim.epoch(), confirmed);
    }

    /**
     * CLAIM: the sender was an owner of these entries by this claim. Whoever held them by it may have forwarded
     * entries that this node held before and holds again. Perhaps nothing but this message tells it.
     */
    public void told(Peer from, @Nullable StreamTable table, Custody claim, RangeList ranges, Turn turn) {
        context.senderRights.claims(from.id(), table, claim, ranges);
        if (table != null && !claim.first().equals(context.self())) {
            RangeList held = table.inState(EntryState.HELD, ranges).all();
            context.ledger.uncertain(table, context.senderRights.heeded(from.id(), table, held, turn));
        }
    }

    /** UPDATED: the owner knows the claim, unless it has changed since. */
    public void updated(Peer from, StreamTable table, long epoch, RangeList ranges) {
        SequenceView waiting = table.duties.unconfirmed.of(from.id());
        if (waiting.isEmpty()) {
            return;
        }
        SequenceSet current = new SequenceSet();
        for (Custodies.Part part : table.parts()) {
            if (part.custody().epoch() == epoch) {
                current.addAll(part.members().within(ranges));
            }
        }
        context.ledger.note(table, Fact.Duty.CONFIRMED, from.id(), waiting.within(current.all()));
    }

    /**
     * Takes note of another owner's claim.
     *
     * @return the entries for which it need not be repeated
     */
    RangeList learn(StreamTable table, RangeList ranges, Custody claim, NodeId from, Turn turn) {
        SequenceSet confirmed = new SequenceSet();
        SequenceSet live = new SequenceSet();
        for (Custodies.Part part : table.parts()) {
            RangeList hit = part.members().within(ranges);
            live.addAll(hit);
            if (!hit.isEmpty()) {
                confirmed.addAll(learnPart(table, part.custody(), hit, claim, from, turn));
            }
        }
        RangeList rest = ranges.without(live.all());
        RangeList finished = table.finished.within(rest);
        // The other owners would not believe it (6.19). The node that ended the entry tells them.
        boolean says =
                claim.owners().contains(context.self()) || table.id.origin().equals(context.self());
        if (says && !finished.isEmpty()) {
            context.ledger.finished(table, finished, List.of(from), turn);
            context.outgoing.delete(from, table, finished);
        }
        confirmed.addAll(rest);
        return confirmed.all();
    }

    private RangeList learnPart(
            StreamTable table, Custody mine, RangeList told, Custody claim, NodeId from, Turn turn) {
        if (mine.state() == EntryState.REMOVED || mine.sameClaim(claim)) {
            passOn(table, mine, told, claim, from, turn);
            return told;
        }
        if (!claim.outranks(mine)) {
            context.senderRights.claims(from, table, claim, told);
            context.ledger.note(table, Fact.Duty.CLAIMED, from, told);
            context.outgoing.update(from, table, mine, told);
            return new RangeList();
        }
        RangeList hit = context.senderRights.heeded(from, table, told, turn);
        if (hit.isEmpty()) {
            return hit;
        }
        if (mine.state() == EntryState.HELD && claim.first().equals(context.self())) {
            return keep(table, mine, hit, claim, from, turn);
        }
        RangeList taken = mine.state() == EntryState.HELD ? table.taken.within(hit) : new RangeList();
        if (!taken.isEmpty()) {
            context.senderRights.claims(from, table, claim, taken);
            context.recalls.contested(table, taken, claim, from);
        }
        RangeList free = hit.without(taken);
        if (free.isEmpty()) {
            return free;
        }
        if (!claim.owners().contains(context.self())) {
            drop(table, free, claim, turn);
            return free;
        }
        if (!context.knows(claim.owners(), from, turn)) {
            return new RangeList();
        }
        if (mine.state() == EntryState.HELD) {
            cede(table, free, claim, turn);
        } else {
            releaseFormerHolder(table, free, claim);
            if (!claim.first().equals(mine.first())) {
                context.takeovers.passed(table, claim.first(), free.total(), turn.now());
            }
            context.ledger.custody(table, free, claim.withState(EntryState.COPY), turn);
            context.ledger.outranked(table, free);
            Prepared.tellCommits(context, claim.first(), table, free);
        }
        if (!claim.first().equals(from) && !claim.first().equals(context.self())) {
            // A third node told this: the holder may have lost the entries since.
            context.openQueries.ask(claim.first(), table, free);
        }
        Custody copy = claim.withState(EntryState.COPY);
        if (claim.first().equals(context.self())) {
            // Handed over. If this node may not adopt, the node that named it could not know. If this node did not take
            // it, nobody would hold it (6.12.5).
            take(table, copy, turn);
        } else {
            evaluate(table, copy, turn);
        }
        return free;
    }

    /**
     * This node was released by a better claim. The node that made it may be gone, and this node the only one that
     * knows both claims.
     */
    private void passOn(StreamTable table, Custody mine, RangeList told, Custody claim, NodeId from, Turn turn) {
        Peer peer = context.peers.find(from);
        if (peer != null && mine.outranks(claim) && !mine.owners().contains(context.self())) {
            Queries.answer(context, peer, table, OutboxMessages.ANSWER_RELEASED, mine, told, turn);
        }
    }

    /** A newer claim that names this node as holder: an owner replacement that a crash here interrupted. */
    private RangeList keep(StreamTable table, Custody mine, RangeList hit, Custody claim, NodeId from, Turn turn) {
        if (!context.knows(claim.owners(), from, turn)) {
            return new RangeList();
        }
        Custody kept = new Custody(EntryState.HELD, claim.epoch(), claim.owners(), claim.order(), mine.adoptedFrom());
        context.ledger.custody(table, hit, kept, turn);
        for (NodeId owner : mine.owners()) {
            if (!claim.owners().contains(owner)) {
                context.ledger.note(table, Fact.Duty.REPLACED, owner, hit);
            }
        }
        for (NodeId owner : claim.others(context.self())) {
            context.ledger.note(
                    table,
                    Fact.Duty.RELEASED,
                    owner,
                    table.duties.unreleased.of(owner).within(hit));
            if (!owner.equals(from)) {
                context.ledger.note(table, Fact.Duty.CLAIMED, owner, hit);
                context.outgoing.update(owner, table, kept, hit);
            }
        }
        return hit;
    }

    /** Rules o8, b8: the other one forwards, this node keeps a copy at the end of the order (G6). */
    private void cede(StreamTable table, RangeList free, Custody claim, Turn turn) {
        Custody after = claim.withState(context.keepsCededCopies ? EntryState.COPY : EntryState.REMOVED);
        deliveries.withdraw(table, free);
        deadLetters.forget(table, free);
        context.ledger.outranked(table, free);
        context.ledger.custody(table, free, after, turn);
        Prepared.tellCommits(context, claim.first(), table, free);
        context.counters.ceded += free.total();
        context.takeovers.passed(table, claim.first(), free.total(), turn.now());
        turn.notify(new OutboxEvent.Ceded(claim.first(), free.total()));
    }

    /**
     * Entries that are not held here pass to another claim (6.10.5). If the holder by the former claim is no owner by
     * the new one, this node may be the only one that knows of it.
     */
    void releaseFormerHolder(StreamTable table, RangeList ranges, Custody claim) {
        for (Custodies.Part part : table.parts()) {
            NodeId former = part.custody().first();
            if (!former.equals(context.self()) && !claim.owners().contains(former)) {
                context.ledger.note(
                        table, Fact.Duty.REPLACED, former, part.members().within(ranges));
            }
        }
    }

    /** Rule b9: this node is no longer an owner. */
    void drop(StreamTable table, RangeList ranges, Custody claim, Turn turn) {
        releaseFormerHolder(table, ranges, claim);
        for (Custodies.Part part : table.parts()) {
            if (!part.custody().first().equals(claim.first())) {
                long passed = part.members().within(ranges).total();
                context.takeovers.passed(table, claim.first(), passed, turn.now());
            }
        }
        Prepared.tellCommits(context, claim.first(), table, ranges);
        deliveries.withdraw(table, ranges);
        deadLetters.forget(table, ranges);
        context.ledger.outranked(table, ranges);
        context.ledger.custody(table, ranges, claim.withState(EntryState.REMOVED), turn);
    }

    /** RELEASE: this node was replaced as owner, unless it was made one again since. */
    public void release(Peer from, StreamTable table, Custody claim, RangeList ranges, Turn turn) {
        if (claim.owners().contains(context.self())) {
            context.outgoing.released(from.id(), table, ranges);
            return;
        }
        context.senderRights.claims(from.id(), table, claim, ranges);
        RangeList open = ranges.without(table.finished.within(ranges));
        SequenceSet kept = new SequenceSet();
        List<RangeList> dropped = new ArrayList<>();
        SequenceSet known = new SequenceSet();
        for (Custodies.Part part : table.parts()) {
            RangeList hit = part.members().within(open);
            known.addAll(hit);
            // As with an UPDATE: if both yielded to each other, nobody would hold the entry.
            if (part.custody().outranks(claim)) {
                if (part.custody().state() == EntryState.REMOVED) {
                    passOn(table, part.custody(), hit, claim, from.id(), turn);
                } else if (!hit.isEmpty()) {
                    kept.addAll(hit);
                    context.outgoing.update(from.id(), table, part.custody(), hit);
                }
                continue;
            }
            RangeList believed = context.senderRights.believed(from.id(), table, hit, turn);
            boolean isHolder = part.custody().state() == EntryState.HELD;
            RangeList busy = isHolder ? table.taken.within(believed) : new RangeList();
            kept.addAll(hit.without(believed));
            kept.addAll(busy);
            if (!busy.isEmpty()) {
                context.recalls.contested(table, busy, claim, from.id());
            }
            dropped.add(believed.without(busy));
        }
        dropped.add(context.senderRights.mayFinish(from.id(), table, open.without(known.all())));
        for (RangeList part : dropped) {
            if (!part.isEmpty()) {
                drop(table, part, claim, turn);
            }
        }
        context.outgoing.released(from.id(), table, ranges.without(kept.all()));
    }

    /**
     * A peer was given up or removed: it may be this node's turn to hold entries of which the peer was an owner before
     * it.
     */
    public void peerChanged(Peer peer, Turn turn) {
        if (peer.state() == PeerState.TERMINATED || peer.removed()) {
            evaluateAll(turn);
        }
    }
}
