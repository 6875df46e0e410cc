package io.georep.outbox;

import io.georep.model.NodeId;
import io.georep.protocol.Peer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Says again what a peer has not confirmed: DELETE, RELEASE and UPDATE (6.5, 6.6, G7, G9). All of it when the peer is
 * reachable again (these are the lists that follow its WELCOME), and from time to time what seems to be stuck.
 */
final class Repetition {
    /** Longest pause between two repetitions, in ticks. */
    private static final int PAUSE_TICKS_MAX = 30;

    private final OutboxContext context;

    /** What was the oldest unconfirmed item of a stream and peer at the last tick, and for how long. */
    private Map<StreamTable, Map<NodeId, Stuck>> stuck = new HashMap<>();

    private record Stuck(long oldest, int pause, int ticksLeft) {}

    Repetition(OutboxContext context) {
        this.context = context;
    }

    void peerReachable(Peer peer) {
        stuck.values().forEach(ofTable -> ofTable.remove(peer.id()));
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
        Map<StreamTable, Map<NodeId, Stuck>> next = new HashMap<>();
        for (StreamTable table : context.ledger.tables()) {
            if (!table.untold.isEmpty() || !table.unreleased.isEmpty() || !table.unconfirmed.isEmpty()) {
                next.put(table, tick(table, stuck.getOrDefault(table, Map.of())));
            }
        }
        stuck = next;
    }

    private Map<NodeId, Stuck> tick(StreamTable table, Map<NodeId, Stuck> before) {
        Set<NodeId> owed = new TreeSet<>(table.untold.keySet());
        owed.addAll(table.unreleased.keySet());
        owed.addAll(table.unconfirmed.keySet());
        Map<NodeId, Stuck> next = new HashMap<>();
        for (NodeId id : owed) {
            Peer peer = context.peers.find(id);
            Stuck last = before.get(id);
            if (peer != null && peer.linked()) {
                next.put(id, tick(id, table, last));
            } else if (last != null) {
                next.put(id, last);
            }
        }
        return next;
    }

    private Stuck tick(NodeId peer, StreamTable table, @Nullable Stuck last) {
        long oldest = oldest(table, peer);
        if (last == null || last.oldest != oldest) {
            return new Stuck(oldest, 1, 1);
        }
        if (last.ticksLeft > 1) {
            return new Stuck(oldest, last.pause, last.ticksLeft - 1);
        }
        int pause = Math.min(PAUSE_TICKS_MAX, 2 * last.pause);
        repeat(peer, table);
        return new Stuck(oldest, pause, pause);
    }

    private static long oldest(StreamTable table, NodeId peer) {
        long oldest = Long.MAX_VALUE;
        oldest = Math.min(oldest, first(table.untold.get(peer)));
        oldest = Math.min(oldest, first(table.unreleased.get(peer)));
        oldest = Math.min(oldest, first(table.unconfirmed.get(peer)));
        return oldest;
    }

    private static long first(@Nullable SequenceSet members) {
        return members == null || members.isEmpty() ? Long.MAX_VALUE : members.first();
    }
}
