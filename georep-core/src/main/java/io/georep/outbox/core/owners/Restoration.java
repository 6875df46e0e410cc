package io.georep.outbox.core.owners;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.sets.SequenceView;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Copies that other owners should have and may have lost (6.8.6). A store can be emptied, or replaced by an older image
 * that nobody can tell from the right one. So nothing is concluded from how an owner looks: in each boot of either side
 * the holder asks every owner about all the entries it should have a copy of, and copies again what it does not have.
 *
 * <p>So the duty is as durable as the entries themselves, although nothing of it is stored: each boot of the holder
 * asks anew. An adopter asks with its claim, because an owner confirms only what it has (6.6.13).
 */
public final class Restoration {
    /** A boot of a peer; the generation changes when it is found to have another store. */
    private record Boot(long incarnation, long generation) {
        static Boot of(Peer peer) {
            return new Boot(peer.incarnation(), peer.generation());
        }
    }

    private final OutboxContext context;
    private final CopyTransfers transfers;

    /** The boot in which each peer was asked, since this node started. */
    private final Map<NodeId, Boot> asked = new TreeMap<>();

    /** Per owner: streams of which it said that it has not all copies. */
    private final Map<NodeId, Map<StreamId, StreamTable>> incomplete = new TreeMap<>();

    public Restoration(OutboxContext context, CopyTransfers transfers) {
        this.context = context;
        this.transfers = transfers;
    }

    /** A peer can be asked; returns whether this is the first time in its boot or this node's. */
    boolean peerReachable(Peer peer) {
        Boot present = Boot.of(peer);
        if (present.equals(asked.put(peer.id(), present))) {
            return false;
        }
        incomplete.remove(peer.id());
        for (StreamTable table : context.ledger.tables()) {
            table.duties.askedAnew(peer.id());
            for (Custodies.Part part : table.parts()) {
                if (shouldCopy(part.custody(), peer.id())) {
                    context.openQueries.ask(peer.id(), table, part.members().all());
                }
            }
        }
        return true;
    }

    /** A name is forgotten. */
    public void forget(NodeId peer) {
        asked.remove(peer);
        incomplete.remove(peer);
    }

    private static boolean shouldCopy(Custody custody, NodeId owner) {
        return custody.state() == EntryState.HELD && custody.owners().contains(owner);
    }

    /** The owner says that it has no copy of these. */
    void lacks(Peer owner, StreamTable table, RangeList ranges, Turn turn) {
        RangeList held = held(table, owner.id(), ranges);
        long fresh =
                held.total() - table.duties.missing.of(owner.id()).within(held).total();
        if (fresh > 0) {
            table.duties.lost(owner.id(), held);
            incomplete.computeIfAbsent(owner.id(), none -> new TreeMap<>()).put(table.id, table);
            turn.notify(new OutboxEvent.CopiesMissing(table.queue, owner.id(), fresh));
        }
    }

    /** The owner has durable copies of these, or they are finished. */
    public void has(Peer owner, StreamTable table, RangeList ranges, Turn turn) {
        SequenceView missing = table.duties.missing.of(owner.id());
        if (!missing.within(ranges).isEmpty()) {
            table.duties.restored(owner.id(), ranges);
            if (missing.isEmpty()) {
                turn.notify(new OutboxEvent.CopiesRestored(table.queue, owner.id()));
            }
        }
    }

    /** Reads the first page of entries to copy again; returns whether there is any. */
    boolean startPage(Turn turn) {
        for (NodeId owner : List.copyOf(incomplete.keySet())) {
            if (transfers.takes(owner, turn) && startPage(owner, turn)) {
                return true;
            }
        }
        return false;
    }

    private boolean startPage(NodeId owner, Turn turn) {
        Map<StreamId, StreamTable> tables = incomplete.getOrDefault(owner, Map.of());
        for (Iterator<StreamTable> next = tables.values().iterator(); next.hasNext(); ) {
            StreamTable table = next.next();
            RangeList due = due(table, owner);
            if (!due.isEmpty()) {
                transfers.readFrom(table, due.from(0), (pairs, later) -> pageRead(table, owner, pairs, later), turn);
                return true;
            }
            if (table.duties.missing.of(owner).isEmpty()) {
                next.remove();
            }
        }
        if (tables.isEmpty()) {
            incomplete.remove(owner);
        }
        return false;
    }

    /** Returns what is missing at an owner and can be copied there now; forgets what is not this node's business any more. */
    private RangeList due(StreamTable table, NodeId owner) {
        RangeList all = table.duties.missing.of(owner).all();
        RangeList held = held(table, owner, all);
        table.duties.restored(owner, all.without(held));
        return held.without(table.pending.within(held));
    }

    /**
     * Returns the entries this node holds and that peer should have a copy of: not those that are over elsewhere and only wait for
     * the application, since a node with a tombstone takes no copy, however often it is offered one.
     */
    private static RangeList held(StreamTable table, NodeId owner, RangeList ranges) {
        SequenceSet held = new SequenceSet();
        for (Custodies.Part part : table.parts()) {
            if (shouldCopy(part.custody(), owner)) {
                held.addAll(part.members().within(ranges));
            }
        }
        held.removeAll(table.finishedElsewhere.within(ranges));
        return held.all();
    }

    private void pageRead(StreamTable table, NodeId owner, List<EntryStore.Pair> pairs, Turn turn) {
        SequenceSet due = new SequenceSet();
        due.addAll(due(table, owner));
        for (EntryStore.Pair pair : pairs) {
            Group group = Group.decode(pair.value());
            for (Custodies.Part part : table.parts()) {
                if (shouldCopy(part.custody(), owner)) {
                    RangeList here = due.within(part.members().within(group.first, group.to()));
                    group.parts(here, part.custody(), table.prepared)
                            .forEach(piece -> transfers.start(new Again(table, piece, owner), turn));
                }
            }
        }
    }

    /** A copy for an owner that lost it. What is not acknowledged stays missing. */
    private final class Again extends CopyTransfers.Transfer {
        Again(StreamTable table, Group group, NodeId owner) {
            super(table, group, owner);
        }

        @Override
        void stored(RangeList ranges, Turn turn) {
            Peer peer = context.peers.find(target);
            if (peer != null) {
                has(peer, table, ranges, turn);
            }
        }

        @Override
        void givenUp(RangeList ranges, Turn turn) {
            // still missing: the next page tries again
        }
    }

    /** Entries held here of which some owner is not known to have a copy in its present boot, or is given up. */
    public long shortOfCopies() {
        long count = 0;
        for (StreamTable table : context.ledger.tables()) {
            for (Custodies.Part part : table.parts()) {
                if (part.custody().state() == EntryState.HELD) {
                    RangeList lacking = lacking(table, part);
                    count += lacking.without(table.pending.within(lacking)).total();
                }
            }
        }
        return count;
    }

    private RangeList lacking(StreamTable table, Custodies.Part part) {
        SequenceSet lacking = new SequenceSet();
        for (NodeId owner : part.custody().others(context.self())) {
            Peer peer = context.peers.find(owner);
            if (peer == null || peer.state() == PeerState.TERMINATED || peer.removed()) {
                return part.members().all();
            }
            lacking.addAll(unconfirmed(table, part, owner));
        }
        return lacking.all();
    }

    /** Returns the entries of which an owner has not confirmed, since this node or that one started, that it has a copy. */
    RangeList unconfirmed(StreamTable table, Custodies.Part part, NodeId owner) {
        Peer peer = context.peers.find(owner);
        if (peer == null || !Boot.of(peer).equals(asked.get(owner))) {
            return part.members().all();
        }
        SequenceSet unconfirmed = new SequenceSet();
        unconfirmed.addAll(context.openQueries.open(owner, table, part.members()));
        unconfirmed.addAll(table.duties.missing.of(owner).within(part.members().all()));
        return unconfirmed.all();
    }
}
