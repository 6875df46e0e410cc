package io.georep.outbox.core.context;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import org.jspecify.annotations.Nullable;

/**
 * Decides which nodes may say that a copy kept here is not needed any more (rule 6.19): the origin of the entry, and
 * every node that is or was an owner as far as this node was told. Others are not believed. So a node that ends an
 * entry of another origin first sends the claim by which it held the entry; a RELEASE carries it. A limited
 * peer cannot change entries of others in other ways either: it could make itself an owner first.
 */
public final class SenderRights {
    /** How long after one report of refused words the next one may follow. */
    private static final long REPORT_NANOS = 60_000_000_000L;

    private final OutboxContext context;
    private boolean reported;
    private long reportedNanos;

    SenderRights(OutboxContext context) {
        this.context = context;
    }

    /** Returns the entries about which this peer may say that they are not needed here any more. Counts and reports the others. */
    public RangeList believed(NodeId from, StreamTable table, RangeList ranges, Turn turn) {
        RangeList believed = within(from, table, ranges);
        long refused = ranges.total() - believed.total();
        if (refused > 0) {
            refuse(from, table, refused, turn);
        }
        return believed;
    }

    /** Returns the entries about which this peer may say anything else, such as a claim: all, unless the peer is limited. */
    public RangeList heeded(NodeId from, StreamTable table, RangeList ranges, Turn turn) {
        return isLimited(from) ? believed(from, table, ranges, turn) : ranges;
    }

    /**
     * Returns the entries about which this peer may say that they are over. A limited peer cannot end entries of others
     * that this node does not know. They may still come, and would then count as over.
     */
    public RangeList mayFinish(NodeId from, StreamTable table, RangeList ranges) {
        if (!isStranger(from, table.id.origin())) {
            return ranges;
        }
        SequenceSet known = new SequenceSet();
        for (Custodies.Part part : table.parts()) {
            known.addAll(part.members().within(ranges));
        }
        known.addAll(table.finished.within(ranges));
        return known.all();
    }

    /**
     * Returns whether this peer may bring copies of entries that this node does not know. A limited peer may not if the
     * origin is this node, or is in touch and would bring them itself: the peer could bring forged copies, and the true
     * ones would then count as known.
     */
    public boolean brings(NodeId from, StreamTable table) {
        NodeId origin = table.id.origin();
        Peer peer = context.peers.find(origin);
        boolean comesItself = origin.equals(context.self())
                || (peer != null && (peer.state() == PeerState.ACTIVE || peer.state() == PeerState.SCHRODINGER));
        return !comesItself || !isStranger(from, origin);
    }

    private boolean isStranger(NodeId from, NodeId origin) {
        return isLimited(from) && !from.equals(origin);
    }

    private boolean isLimited(NodeId from) {
        Peer peer = context.peers.find(from);
        return peer != null && peer.limited();
    }

    private RangeList within(NodeId from, StreamTable table, RangeList ranges) {
        if (from.equals(table.id.origin())) {
            return ranges;
        }
        SequenceSet refused = new SequenceSet();
        for (Custodies.Part part : table.parts()) {
            if (part.custody().state() != EntryState.REMOVED
                    && !part.custody().owners().contains(from)) {
                refused.addAll(part.members().within(ranges));
            }
        }
        if (refused.isEmpty()) {
            return ranges;
        }
        refused.removeAll(table.duties.unreleased.of(from).within(ranges));
        refused.removeAll(table.duties.named.of(from).within(ranges));
        return ranges.without(refused.all());
    }

    /**
     * CLAIM, or the claim of a RELEASE: it shows that the sender may speak about these entries. Nothing is noted for
     * entries that are not live here.
     */
    public void claims(NodeId from, @Nullable StreamTable table, Custody claim, RangeList ranges) {
        if (table != null && claim.owners().contains(from) && !isLimited(from)) {
            table.parts()
                    .forEach(part -> table.duties.named(from, part.members().within(ranges)));
        }
    }

    /** Drops what tables note of a node whose name is forgotten. */
    public void forget(NodeId name) {
        context.ledger.tables().forEach(table -> table.duties.forgotten(name));
    }

    private void refuse(NodeId from, StreamTable table, long entries, Turn turn) {
        context.counters.endsRefused += entries;
        if (!reported || turn.now() - reportedNanos >= REPORT_NANOS) {
            reported = true;
            reportedNanos = turn.now();
            turn.notify(new OutboxEvent.EndRefused(table.queue, from, entries));
        }
    }
}
