package io.georep.outbox.core.owners;

import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceView;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Alarms;
import io.georep.protocol.Peer;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Says again what a peer has not confirmed: DELETE, RELEASE and UPDATE (6.5, 6.6, G7, G9). All of it when the peer is
 * reachable again (these are the lists that follow its WELCOME), and from time to time what seems to be stuck.
 */
public final class Retransmission {
    /** Longest pause between two repetitions, in ticks. */
    private static final int PAUSE_TICKS_MAX = 30;

    /** What a peer has not confirmed of one stream. */
    private static final class Debt {
        final StreamTable table;
        final NodeId peer;
        final long oldest;
        int pause = 1;
        long dueAtTick;

        Debt(StreamTable table, NodeId peer, long oldest, long dueAtTick) {
            this.table = table;
            this.peer = peer;
            this.oldest = oldest;
            this.dueAtTick = dueAtTick;
        }
    }

    private final OutboxContext context;
    private final Map<StreamTable, Map<NodeId, Debt>> debts = new HashMap<>();

    /** The debts of peers with a link. Those of others are looked at when they are reachable again. */
    private final Alarms<Debt> alarms = new Alarms<>(
            debt -> debt.dueAtTick,
            Comparator.<Debt, StreamId>comparing(debt -> debt.table.id).thenComparing(debt -> debt.peer));

    private long ticks;

    public Retransmission(OutboxContext context) {
        this.context = context;
    }

    public void peerReachable(Peer peer) {
        for (StreamTable table : context.ledger.tables()) {
            repeat(peer.id(), table);
            long oldest = oldest(table, peer.id());
            if (oldest != Long.MAX_VALUE) {
                owe(new Debt(table, peer.id(), oldest, ticks + 2));
            }
        }
    }

    private void owe(Debt debt) {
        Debt before = debts.computeIfAbsent(debt.table, none -> new HashMap<>()).put(debt.peer, debt);
        if (before != null) {
            alarms.cancel(before);
        }
        alarms.set(debt);
    }

    private void repeat(NodeId peer, StreamTable table) {
        context.outgoing.delete(peer, table, table.duties.untold.of(peer).all());
        SequenceView unreleased = table.duties.unreleased.of(peer);
        SequenceView unconfirmed = table.duties.unconfirmed.of(peer);
        if (unreleased.isEmpty() && unconfirmed.isEmpty()) {
            return;
        }
        for (Custodies.Part part : table.parts()) {
            RangeList members = part.members().all();
            context.outgoing.release(peer, table, part.custody(), unreleased.within(members));
            context.outgoing.update(peer, table, part.custody(), unconfirmed.within(members));
        }
    }

    /** Called about once a second, with the streams in which something changed since: others owe what they owed. */
    public void tick(List<StreamTable> changed) {
        ticks++;
        changed.forEach(this::look);
        for (Debt debt : alarms.due(ticks)) {
            Peer peer = context.peers.find(debt.peer);
            if (peer != null && peer.linked()) {
                repeat(debt.peer, debt.table);
                debt.pause = Math.min(PAUSE_TICKS_MAX, 2 * debt.pause);
                debt.dueAtTick = ticks + debt.pause;
                alarms.set(debt);
            }
        }
    }

    /** Finds what is owed now: a debt that became smaller is a new one. */
    private void look(StreamTable table) {
        Map<NodeId, Debt> before = debts.getOrDefault(table, Map.of());
        Set<NodeId> owed = table.duties.owedTo();
        for (Debt debt : List.copyOf(before.values())) {
            if (!owed.contains(debt.peer)) {
                alarms.cancel(debt);
                before.remove(debt.peer);
            }
        }
        if (owed.isEmpty()) {
            debts.remove(table);
        }
        for (NodeId id : owed) {
            Debt known = before.get(id);
            long oldest = oldest(table, id);
            if (known == null || known.oldest != oldest) {
                owe(new Debt(table, id, oldest, ticks + 1));
            }
        }
    }

    private static long oldest(StreamTable table, NodeId peer) {
        long oldest = Long.MAX_VALUE;
        oldest = Math.min(oldest, first(table.duties.untold.of(peer)));
        oldest = Math.min(oldest, first(table.duties.unreleased.of(peer)));
        oldest = Math.min(oldest, first(table.duties.unconfirmed.of(peer)));
        return oldest;
    }

    private static long first(SequenceView members) {
        return members.isEmpty() ? Long.MAX_VALUE : members.first();
    }
}
