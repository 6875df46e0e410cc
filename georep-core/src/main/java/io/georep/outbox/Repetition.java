package io.georep.outbox;

import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.protocol.Peer;
import java.util.Map;
import java.util.TreeMap;

/**
 * Says again what a peer has not confirmed: DELETE, RELEASE and UPDATE (6.5, 6.6, G7, G9). All of it when the peer is
 * reachable again (these are the lists that follow its WELCOME), and from time to time what seems to be stuck.
 */
final class Repetition {
    /** Longest pause between two repetitions, in ticks. */
    private static final int PAUSE_TICKS_MAX = 30;

    private final OutboxContext context;

    /** What was the oldest unconfirmed item of a stream and peer at the last tick, and for how long. */
    private final Map<NodeId, Map<StreamId, Stuck>> stuck = new TreeMap<>();

    private record Stuck(long oldest, int pause, int ticksLeft) {}

    Repetition(OutboxContext context) {
        this.context = context;
    }

    void peerReachable(Peer peer) {
        stuck.remove(peer.id());
        for (StreamTable table : context.ledger.tables()) {
            repeat(peer.id(), table);
        }
    }

    private void repeat(NodeId peer, StreamTable table) {
        SequenceSet untold = table.untold.get(peer);
        if (untold != null) {
            context.outgoing.delete(peer, table, untold.all());
        }
        SequenceSet unreleased = table.unreleased.get(peer);
        SequenceSet unconfirmed = table.unconfirmed.get(peer);
        if (unreleased == null && unconfirmed == null) {
            return;
        }
        for (StreamTable.Part part : table.parts()) {
            if (unreleased != null) {
                RangeList hit = unreleased.within(part.members().all());
                context.outgoing.release(peer, table, part.custody(), hit);
            }
            if (unconfirmed != null) {
                RangeList hit = unconfirmed.within(part.members().all());
                context.outgoing.update(peer, table, part.custody(), hit);
            }
        }
    }

    /** Called about once a second. */
    void tick() {
        for (Peer peer : context.peers.all()) {
            if (peer.linked()) {
                Map<StreamId, Stuck> ofPeer = stuck.computeIfAbsent(peer.id(), none -> new TreeMap<>());
                for (StreamTable table : context.ledger.tables()) {
                    tick(peer.id(), table, ofPeer);
                }
            }
        }
    }

    private void tick(NodeId peer, StreamTable table, Map<StreamId, Stuck> ofPeer) {
        long oldest = oldest(table, peer);
        if (oldest < 0) {
            ofPeer.remove(table.id);
            return;
        }
        Stuck last = ofPeer.get(table.id);
        if (last == null || last.oldest != oldest) {
            ofPeer.put(table.id, new Stuck(oldest, 1, 1));
        } else if (last.ticksLeft > 1) {
            ofPeer.put(table.id, new Stuck(oldest, last.pause, last.ticksLeft - 1));
        } else {
            int pause = Math.min(PAUSE_TICKS_MAX, 2 * last.pause);
            ofPeer.put(table.id, new Stuck(oldest, pause, pause));
            repeat(peer, table);
        }
    }

    private static long oldest(StreamTable table, NodeId peer) {
        long oldest = Long.MAX_VALUE;
        oldest = Math.min(oldest, first(table.untold.get(peer)));
        oldest = Math.min(oldest, first(table.unreleased.get(peer)));
        oldest = Math.min(oldest, first(table.unconfirmed.get(peer)));
        return oldest == Long.MAX_VALUE ? -1 : oldest;
    }

    private static long first(@org.jspecify.annotations.Nullable SequenceSet members) {
        return members == null || members.isEmpty() ? Long.MAX_VALUE : members.first();
    }
}
