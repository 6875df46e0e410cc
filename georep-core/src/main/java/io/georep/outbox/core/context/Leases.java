package io.georep.outbox.core.context;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceView;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.LateOwners;
import io.georep.outbox.core.stream.OwnerLease;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.ClockComparison;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whether somebody else may have forwarded what this node holds (6.16). An owner adopts no earlier than its T_s + T_x
 * after the last frame it heard of this node, so a {@link OwnerLease} per owner runs from the newest frame it
 * confirmed. Once the lease of an owner is over, and after each boot, the entries that it shares with this node are
 * unproven. This node asks it about them; if its copy is still a mere copy, it did not adopt. What is handed out
 * meanwhile is announced as possibly sent. A machine that was suspended has no leases: {@link ClockComparison}.
 */
public final class Leases {
    /** Clocks are read one after the other, and the wall clock tells milliseconds. */
    private static final long ERROR_NANOS_MIN = 10_000_000;

    /** The error is T_s + T_x divided by this: leases leave a tenth of T_s + T_x, and two errors fit into that. */
    private static final int ERROR_PART = 50;

    private final OutboxContext context;
    private final Map<NodeId, OwnerLease> leases = new HashMap<>();

    private final ClockComparison clocks = new ClockComparison();

    /** When the clocks were found parted, or this boot began: what was sent until then extends no lease. */
    private long partedNanos;

    /** Streams with {@link LateOwners}. */
    private final Set<StreamTable> joined = new LinkedHashSet<>();

    Leases(OutboxContext context) {
        this.context = context;
    }

    /** Begins without any lease: this node does not know what others did while it was down. */
    public void boot(Turn turn) {
        partedNanos = turn.now() - 1;
        compareFrom(turn, shortestNanos());
        for (StreamTable table : context.ledger.tables()) {
            for (Custodies.Part part : table.parts()) {
                if (part.custody().state() == EntryState.HELD) {
                    RangeList members = part.members().all();
                    for (NodeId owner : part.custody().others(context.self())) {
                        table.duties.becameUnproven(owner, members);
                    }
                    for (NodeId owner : table.duties.unreleased.owners()) {
                        table.duties.becameUnproven(
                                owner, table.duties.unreleased.of(owner).within(members));
                    }
                }
            }
        }
    }

    private void compareFrom(Turn turn, long failoverNanos) {
        clocks.compareFrom(turn.now(), turn.wallMillis(), failoverNanos, errorNanos(failoverNanos));
    }

    /** Returns by how much the clocks may part for leases of owners that wait this long. */
    private static long errorNanos(long failoverNanos) {
        return Math.max(ERROR_NANOS_MIN, failoverNanos / ERROR_PART);
    }

    /** Returns how long the peer waits, which its own settings say, less than clocks may differ in speed. */
    private static long lengthNanos(Peer peer) {
        return peer.failoverNanos() / 10 * 9;
    }

    /**
     * Takes note of a message. The first one begins a lease, so everything that is shared with the peer has one. The peer is
     * asked what it adopted before.
     */
    public void heard(Peer peer, Turn turn) {
        compareClocks(turn);
        compareFor(peer, turn);
        long sent = peer.heardSentNanos();
        boolean counts = sent != Long.MIN_VALUE && sent - partedNanos > 0 && turn.now() - sent < lengthNanos(peer);
        if (counts && !leases.containsKey(peer.id())) {
            leases.put(peer.id(), new OwnerLease(sent + lengthNanos(peer), clocks));
            ask(peer);
        }
    }

    /** A machine that was suspended for longer than can be overlooked may have been given up by everybody. */
    private void compareClocks(Turn turn) {
        if (clocks.parted(turn.now(), turn.wallMillis())) {
            partedNanos = turn.now();
            leases.values().forEach(lease -> lease.extend(turn.now()));
            new TreeSet<>(leases.keySet()).forEach(this::doubt);
            leases.clear();
        } else if (!clocks.isOld(turn.now())) {
            return;
        }
        compareFrom(turn, shortestNanos());
    }

    /** Compares the clocks anew for a peer that waits for less than all others, for which they were not compared closely enough. */
    private void compareFor(Peer peer, Turn turn) {
        long waits = peer.failoverNanos();
        if (waits > 0 && clocks.isTooCoarseFor(waits)) {
            partedNanos = clocks.parted(turn.now(), turn.wallMillis(), errorNanos(waits)) ? turn.now() : partedNanos;
            compareFrom(turn, Math.min(waits, shortestNanos()));
        }
    }

    /** Returns the shortest T_s + T_x of this node and those it shares entries with; leases outlast links. */
    private long shortestNanos() {
        long shortest = context.config.failoverAfter().toNanos();
        for (Peer peer : context.peers.linked()) {
            // A peer that was not heard yet has no lease.
            shortest = peer.failoverNanos() > 0 ? Math.min(shortest, peer.failoverNanos()) : shortest;
        }
        for (NodeId owner : leases.keySet()) {
            Peer peer = context.peers.find(owner);
            shortest = peer == null ? shortest : Math.min(shortest, peer.failoverNanos());
        }
        return shortest;
    }

    /** Called about once a heartbeat: extends the leases of those that confirmed in time. */
    public void tick(Turn turn) {
        compareClocks(turn);
        joined.removeIf(table -> !table.lateOwners.keepOnly(table.taken));
        for (NodeId owner : new TreeSet<>(leases.keySet())) {
            OwnerLease lease = leases.get(owner);
            Peer peer = context.peers.find(owner);
            // What came since does not count: between its frames the peer may have given this node up.
            if (lease != null && !lease.holdsAt(turn.now(), turn.wallMillis())) {
                leases.remove(owner);
                doubt(owner);
            } else if (lease != null && peer != null) {
                lease.extend(peer.heardSentNanos() + lengthNanos(peer));
            }
        }
        for (Peer peer : context.peers.linked()) {
            heard(peer, turn);
        }
    }

    /** Takes note that a node gets copies of entries. The application may have some of them in its hands. */
    public void joins(NodeId owner, StreamTable table, RangeList entries, long now) {
        RangeList inHand = table.taken.within(entries);
        if (!inHand.isEmpty()) {
            OwnerLease lease = leases.get(owner);
            table.lateOwners.add(lease == null ? new OwnerLease(now, clocks) : lease, inHand);
            joined.add(table);
        }
    }

    private void doubt(NodeId owner) {
        for (StreamTable table : context.ledger.tables()) {
            SequenceView released = table.duties.unreleased.of(owner);
            for (Custodies.Part part : table.parts()) {
                if (part.custody().state() == EntryState.HELD) {
                    RangeList members = part.members().all();
                    if (part.custody().owners().contains(owner)) {
                        table.duties.becameUnproven(owner, members);
                    } else {
                        table.duties.becameUnproven(owner, released.within(members));
                    }
                }
            }
        }
    }

    /** Asks a peer what became of the entries it may have adopted. */
    public void ask(Peer peer) {
        for (StreamTable table : context.ledger.tables()) {
            SequenceView unproven = table.duties.unproven.of(peer.id());
            RangeList members = unproven.all().without(context.openQueries.open(peer.id(), table, unproven));
            context.openQueries.ask(peer.id(), table, members.without(table.pending.within(members)));
        }
    }

    /**
     * ANSWER: an owner that has a mere copy, or was released before it forwarded, did not adopt, and will not while its
     * lease lasts.
     */
    public void answered(Peer from, StreamTable table, OutboxMessages.Answer answer) {
        boolean proves =
                answer.status() == OutboxMessages.ANSWER_COPY || answer.status() == OutboxMessages.ANSWER_RELEASED;
        Custody theirs = answer.custody();
        if (!proves || theirs == null || !leases.containsKey(from.id())) {
            return;
        }
        for (Custodies.Part part : table.parts()) {
            // Nothing is known of a holder that is no owner here.
            if (part.custody().owners().contains(theirs.first())) {
                table.duties.proved(from.id(), part.members().within(answer.ranges()));
            }
        }
    }

    /** The leases of all who may adopt one of these entries, which have this custody; null when one of them has none. */
    @org.jspecify.annotations.Nullable
    public List<OwnerLease> of(StreamTable table, Custody custody, long from, long to) {
        List<OwnerLease> found = new ArrayList<>(custody.owners().size());
        for (NodeId owner : custody.owners()) {
            if (!owner.equals(context.self())) {
                OwnerLease lease = leases.get(owner);
                if (lease == null) {
                    return null;
                }
                found.add(lease);
            }
        }
        for (NodeId owner : table.duties.unreleased.owners()) {
            if (table.duties.unreleased.of(owner).intersects(from, to)) {
                OwnerLease lease = leases.get(owner);
                if (lease == null) {
                    return null;
                }
                found.add(lease);
            }
        }
        return found;
    }
}
