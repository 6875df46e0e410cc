package io.georep.outbox.core.owners;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.core.context.OpenQueries;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.holder.Completion;
import io.georep.outbox.core.holder.Deliveries;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.sets.OwnerSets;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.BootKind;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Asking other owners what became of entries (QUERY, ANSWER; 6.8, G3, G12, G18, G27). Three occasions:
 *
 * <ul>
 *   <li>this node came back late or with an older store: what it held is held back until every other owner answered, or
 *       T_quar has passed;
 *   <li>a copy whose holder may not exist: an owner before this node restarted, or was given up while another one still
 *       blocks. An owner that answers "unknown" does not hold the entry, so it goes to the end of the order;
 *   <li>a copy that stays: see {@link LingeringCopies}.
 * </ul>
 *
 * {@link OpenQueries} repeats what is not answered.
 */
public final class Queries {
    private final OutboxContext context;
    private final Claims claims;
    private final Deliveries deliveries;
    private final Completion completion;
    private final Restoration restoration;
    private final LingeringCopies lingering;

    /** Per owner and stream: held-back entries it has not answered for. */
    private final Map<StreamTable, OwnerSets> awaited = new LinkedHashMap<>();

    private long releaseAtNanos = Long.MAX_VALUE;

    /** Whether none of those to be asked was in reach since entries were held back. */
    private boolean nobodyReached;

    public Queries(
            OutboxContext context,
            Claims claims,
            Deliveries deliveries,
            Completion completion,
            Restoration restoration) {
        this.context = context;
        this.claims = claims;
        this.deliveries = deliveries;
        this.completion = completion;
        this.restoration = restoration;
        lingering = new LingeringCopies(context);
    }

    /** At boot: decides what is held back. Entries not held back are offered to the application. */
    public void boot(BootKind kind, Turn turn) {
        if (kind == BootKind.LATE || kind == BootKind.STALE) {
            holdBack(turn);
        }
        for (StreamTable table : context.ledger.tables()) {
            deliveries.offer(table, stored(table), null);
        }
    }

    private static RangeList stored(StreamTable table) {
        return table.inState(EntryState.HELD, RangeList.of(0, Long.MAX_VALUE)).all();
    }

    /** This store is older than what the peers know (G12): nothing it holds may be handed out unasked. */
    public void staleStore(Turn turn) {
        holdBack(turn);
        for (StreamTable table : context.ledger.tables()) {
            deliveries.withdraw(table, table.heldBack.all());
        }
    }

    private void holdBack(Turn turn) {
        nobodyReached = true;
        releaseAtNanos = turn.now() + context.config.holdBackMax().toNanos();
        for (StreamTable table : context.ledger.tables()) {
            for (Custodies.Part part : table.parts()) {
                boolean concerned = part.custody().state() == EntryState.HELD
                        && part.custody().owners().size() > 1;
                if (concerned) {
                    holdBack(table, part, turn);
                }
            }
        }
    }

    private void holdBack(StreamTable table, Custodies.Part part, Turn turn) {
        RangeList ranges = part.members().all();
        RangeList free = ranges.without(table.taken.within(ranges)).without(table.pending.within(ranges));
        table.heldBack(free);
        OwnerSets perOwner = awaited.computeIfAbsent(table, none -> new OwnerSets());
        for (NodeId owner : part.custody().others(context.self())) {
            turn.ensurePeer(owner);
            perOwner.note(owner, free);
            context.openQueries.ask(owner, table, free);
        }
    }

    /** A peer can be asked (again). */
    public void peerReachable(Peer peer, Turn turn) {
        if (nobodyReached
                && awaited.values().stream().anyMatch(owners -> owners.owners().contains(peer.id()))) {
            nobodyReached = false;
            releaseAtNanos = Math.min(
                    releaseAtNanos, turn.now() + context.config.failoverAfter().toNanos());
        }
        context.openQueries.peerReachable(peer.id());
        if (!restoration.peerReachable(peer)) {
            return;
        }
        for (StreamTable table : context.ledger.tables()) {
            for (Custodies.Part part : table.parts()) {
                if (part.custody().state() == EntryState.COPY && blocks(part.custody(), peer.id())) {
                    context.openQueries.ask(peer.id(), table, part.members().all());
                }
            }
        }
    }

    /** A peer was given up. Entries that it blocked may now be blocked by a live owner that has no copy. */
    public void peerChanged(Peer peer, Turn turn) {
        if (peer.state() != PeerState.TERMINATED && !peer.removed()) {
            return;
        }
        for (StreamTable table : context.ledger.tables()) {
            for (Custodies.Part part : table.parts()) {
                Custody custody = part.custody();
                if (custody.state() == EntryState.COPY && custody.order().contains(peer.id())) {
                    lingering.askBlocker(table, custody, part.members().all(), turn);
                }
            }
        }
    }

    /** QUERY: tells what this node knows. */
    public void query(Peer from, StreamTable table, RangeList ranges, Turn turn) {
        SequenceSet told = new SequenceSet();
        for (Custodies.Part part : table.parts()) {
            RangeList hit = part.members().within(ranges);
            int status = status(part.custody());
            if (!hit.isEmpty() && status != OutboxMessages.ANSWER_UNKNOWN) {
                told.addAll(hit);
                answer(context, from, table, status, part.custody(), hit, turn);
            }
        }
        RangeList rest = ranges.without(told.all());
        RangeList finished = table.finished.within(rest);
        answer(context, from, table, OutboxMessages.ANSWER_FINISHED, null, finished, turn);
        answer(context, from, table, OutboxMessages.ANSWER_UNKNOWN, null, rest.without(finished), turn);
    }

    private int status(Custody custody) {
        return switch (custody.state()) {
            case HELD -> OutboxMessages.ANSWER_HELD;
            case COPY -> OutboxMessages.ANSWER_COPY;
            default ->
                !custody.owners().contains(context.self())
                        ? OutboxMessages.ANSWER_RELEASED
                        : OutboxMessages.ANSWER_UNKNOWN;
        };
    }

    static void answer(
            OutboxContext context,
            Peer to,
            StreamTable table,
            int status,
            @Nullable Custody custody,
            RangeList ranges,
            Turn turn) {
        context.outgoing.sendClaims(to, table, ranges, turn);
        for (int next = 0; next < ranges.count(); next += OutboxBounds.RANGES_MAX) {
            RangeList page = ranges.slice(next, Math.min(ranges.count(), next + OutboxBounds.RANGES_MAX));
            turn.sendWhenWritten(
                    to,
                    OutboxMessages.ANSWER,
                    OutboxMessages.answer(table.id, table.queue, new OutboxMessages.Answer(status, custody, page)),
                    false);
        }
    }

    /**
     * A claim (UPDATE) counts this node among the owners: says which of the entries it does not have (6.6.13). If an
     * owner confirmed a claim for entries that it does not have, others would rely on it.
     *
     * @return the entries about which it has something to confirm
     */
    public RangeList withoutLacking(Peer from, StreamTable table, Custody claim, RangeList ranges, Turn turn) {
        if (!claim.owners().contains(context.self())) {
            return ranges;
        }
        SequenceSet known = table.inState(EntryState.HELD, ranges);
        known.addAll(table.inState(EntryState.COPY, ranges).all());
        known.addAll(table.finished.within(ranges));
        RangeList lacking = ranges.without(known.all());
        if (!lacking.isEmpty()) {
            query(from, table, lacking, turn);
        }
        return known.within(ranges);
    }

    /** ANSWER. */
    public void answered(Peer from, StreamTable table, OutboxMessages.Answer answer, Turn turn) {
        RangeList ranges = answer.ranges();
        Custody theirs = answer.custody();
        context.openQueries.answered(from.id(), table, ranges);
        if (answer.status() == OutboxMessages.ANSWER_FINISHED) {
            restoration.has(from, table, ranges, turn);
            completion.delete(from, table, ranges, turn);
        } else {
            if (theirs != null && answer.hasCopy()) {
                RangeList agreed = claims.learn(table, ranges, theirs, from.id(), turn);
                context.outgoing.updated(from.id(), table, theirs.epoch(), agreed);
                restoration.has(from, table, ranges, turn);
                boolean waits = answer.status() == OutboxMessages.ANSWER_COPY
                        && theirs.first().equals(from.id());
                if (waits && !context.rights.mayAdopt(from)) {
                    passOver(from, table, ranges, turn);
                }
            } else {
                if (theirs != null) {
                    released(from, table, theirs, ranges, turn);
                }
                lacks(from, table, ranges, turn);
            }
        }
        strike(from, table, ranges);
    }

    /**
     * The owner dropped its copies under this claim. The claim is news if it outranks the one known here. If not, no
     * answer is needed: the copy that the owner needs will bring the better claim.
     */
    private void released(Peer from, StreamTable table, Custody claim, RangeList ranges, Turn turn) {
        for (Custodies.Part part : table.parts()) {
            if (claim.outranks(part.custody())) {
                claims.learn(table, part.members().within(ranges), claim, from.id(), turn);
                turn.store().requireDurable();
            }
        }
    }

    /** The owner has no copy: it cannot forward these entries, and whoever holds them copies them to it again. */
    private void lacks(Peer from, StreamTable table, RangeList ranges, Turn turn) {
        restoration.lacks(from, table, ranges, turn);
        // It need not know the claim of what it does not have: the copy will bring it.
        context.ledger.note(
                table,
                Fact.Duty.CONFIRMED,
                from.id(),
                table.duties.unconfirmed.of(from.id()).within(ranges));
        passOver(from, table, ranges, turn);
    }

    /** An owner for which copies wait here neither holds these entries nor can it adopt them: it goes to the end of the order. */
    private void passOver(Peer from, StreamTable table, RangeList ranges, Turn turn) {
        for (Custodies.Part part : table.parts()) {
            Custody custody = part.custody();
            RangeList hit = part.members().within(ranges);
            if (!hit.isEmpty() && custody.state() == EntryState.COPY && blocks(custody, from.id())) {
                Custody behind = custody.withOrder(behind(custody.order(), from.id()));
                context.ledger.custody(table, hit, behind, turn);
                claims.evaluate(table, behind, turn);
            }
        }
    }

    private boolean blocks(Custody custody, NodeId owner) {
        int theirs = custody.order().indexOf(owner);
        return theirs >= 0 && theirs < custody.order().indexOf(context.self());
    }

    private static List<NodeId> behind(List<NodeId> order, NodeId owner) {
        List<NodeId> moved = new java.util.ArrayList<>(order);
        moved.remove(owner);
        moved.add(owner);
        return List.copyOf(moved);
    }

    private void strike(Peer from, StreamTable table, RangeList ranges) {
        OwnerSets perOwner = awaited.get(table);
        if (perOwner == null) {
            return;
        }
        perOwner.strike(from.id(), ranges);
        SequenceSet open = new SequenceSet();
        perOwner.owners().forEach(owner -> open.addAll(perOwner.of(owner)));
        release(table, table.heldBack.within(ranges).without(open.within(ranges)));
        if (perOwner.isEmpty()) {
            awaited.remove(table);
        }
    }

    /** No owner objected, so this node holds the entries again: a duplicate is better than a loss (G18). */
    private void release(StreamTable table, RangeList ranges) {
        table.letGo(ranges);
        RangeList held = table.inState(EntryState.HELD, ranges).all();
        context.ledger.uncertain(table, held);
        deliveries.offer(table, held.without(table.pending.within(held)), null);
    }

    /** Called about once a second. */
    public void tick(Turn turn) {
        context.openQueries.tick();
        lingering.tick(turn);
    }

    public void onTimer(Turn turn) {
        if (turn.now() >= releaseAtNanos) {
            releaseAtNanos = Long.MAX_VALUE;
            awaited.clear();
            for (StreamTable table : context.ledger.tables()) {
                release(table, table.heldBack.all());
            }
        }
    }

    public long nextDeadlineNanos() {
        return releaseAtNanos;
    }
}
