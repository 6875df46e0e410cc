package io.georep.outbox;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * New copies for old entries: when an owner is lost for good (G16), was removed (p12) or is being drained, the holder
 * copies its entries to another node and then swaps the owners; when the holder itself is drained, it hands its entries
 * to the next live owner. One page of entries is on its way at a time, so a backlog of millions moves in bounded memory.
 */
final class Relocation {
    private static final int PAGE_GROUPS = 256;
    private static final long PAGE_BYTES = 256 << 10;

    /** From which custody to which, and who gets the copy in whose place. */
    private record Plan(
            StreamTable table,
            Custody before,
            Custody after,
            NodeId target,
            @Nullable NodeId lost) {}

    /** Entries on their way to a new owner. */
    private static final class Move {
        final StreamTable table;
        final RangeList ranges;
        final Group group;
        final Custody before;
        final Custody after;
        final NodeId target;
        final @Nullable NodeId lost;
        final SequenceSet open = new SequenceSet();
        long repeatAtNanos;

        Move(Plan plan, Group group) {
            this.table = plan.table;
            this.group = group;
            this.ranges = RangeList.of(group.first, group.to());
            this.before = plan.before;
            this.after = plan.after;
            this.target = plan.target;
            this.lost = plan.lost;
            open.addAll(ranges);
        }

        /** Whether the target is an owner already and only lost its copy. */
        boolean isRestoration() {
            return after.equals(before);
        }
    }

    private final OutboxContext context;
    private final Claims claims;
    private final Deliveries deliveries;
    private final DeadLetters deadLetters;
    private final List<Move> moves = new ArrayList<>();

    /** Entries whose copy on an owner is gone because that node came back with an empty or older store. */
    private final Map<NodeId, Map<StreamTable, SequenceSet>> missing = new TreeMap<>();

    private boolean reading;

    Relocation(OutboxContext context, Claims claims, Deliveries deliveries, DeadLetters deadLetters) {
        this.context = context;
        this.claims = claims;
        this.deliveries = deliveries;
        this.deadLetters = deadLetters;
    }

    /** Called about once a second, and whenever a page is done. */
    void tick(Turn turn) {
        if (!context.hardened() || context.peers.leaving()) {
            return;
        }
        repeat(turn);
        if (context.peers.selfDrained()) {
            handOver(turn);
        }
        if (moves.isEmpty() && !reading) {
            startPage(turn);
        }
    }

    /** An owner said that it does not have these entries, which this node holds: copy them there again. */
    void restore(Peer owner, StreamTable table, RangeList ranges) {
        missing.computeIfAbsent(owner.id(), none -> new LinkedHashMap<>())
                .computeIfAbsent(table, none -> new SequenceSet())
                .addAll(ranges);
    }

    /** Reads the first page of entries to restore; answers whether there is any. */
    private boolean restorePage(Turn turn) {
        for (Map.Entry<NodeId, Map<StreamTable, SequenceSet>> ofPeer : missing.entrySet()) {
            NodeId owner = ofPeer.getKey();
            if (!context.isSelectable(owner, turn.now())) {
                continue;
            }
            for (Map.Entry<StreamTable, SequenceSet> item : ofPeer.getValue().entrySet()) {
                StreamTable table = item.getKey();
                SequenceSet open = item.getValue();
                open.removeAll(open.all().without(held(table, owner, open.all())));
                if (!open.isEmpty()) {
                    readFrom(
                            table, open.first(), (pairs, later) -> restoreRead(table, owner, open, pairs, later), turn);
                    return true;
                }
            }
        }
        missing.values().forEach(tables -> tables.values().removeIf(SequenceSet::isEmpty));
        missing.values().removeIf(Map::isEmpty);
        return false;
    }

    /** The entries this node holds and that peer should have a copy of. */
    private static RangeList held(StreamTable table, NodeId owner, RangeList ranges) {
        SequenceSet held = new SequenceSet();
        for (StreamTable.Part part : table.parts()) {
            boolean concerned = part.custody().state() == EntryState.STORED
                    && part.custody().owners().contains(owner);
            if (concerned) {
                held.addAll(part.members().within(ranges));
            }
        }
        return held.all();
    }

    private void restoreRead(
            StreamTable table, NodeId owner, SequenceSet open, List<EntryStore.Pair> pairs, Turn turn) {
        for (EntryStore.Pair pair : pairs) {
            Group group = Group.decode(pair.value());
            for (StreamTable.Part part : table.parts()) {
                RangeList here = open.within(part.members().within(group.first, group.to()));
                RangeList ranges = held(table, owner, here);
                startAll(new Plan(table, part.custody(), part.custody(), owner, null), group, ranges, turn);
                open.removeAll(ranges);
            }
        }
    }

    private interface PageReader {
        void read(List<EntryStore.Pair> pairs, Turn turn);
    }

    private void readFrom(StreamTable table, long sequence, PageReader reader, Turn turn) {
        long first = table.groups.previous(sequence);
        reading = true;
        turn.read(
                OutboxKeys.group(table.id, first),
                OutboxKeys.group(table.id, Long.MAX_VALUE),
                PAGE_GROUPS,
                PAGE_BYTES,
                (pairs, more, later) -> {
                    reading = false;
                    reader.read(pairs, later);
                });
    }

    /** Looks for entries that need another owner, and reads the first page of them. */
    private void startPage(Turn turn) {
        if (restorePage(turn)) {
            return;
        }
        for (StreamTable table : context.ledger.tables()) {
            for (StreamTable.Part part : table.parts()) {
                Custody custody = part.custody();
                boolean alone = context.peers.selfDrained() && custody.owners().size() == 1;
                NodeId lost = custody.state() == EntryState.STORED ? lostOwner(custody, turn) : null;
                RangeList free = lost != null || (alone && custody.state() == EntryState.STORED)
                        ? settled(table, part.members().all())
                        : new RangeList();
                if (!free.isEmpty() && !substitutes(custody, turn).isEmpty()) {
                    readFrom(table, free.from(0), (pairs, later) -> pageRead(table, custody, lost, pairs, later), turn);
                    return;
                }
            }
        }
    }

    private static RangeList settled(StreamTable table, RangeList ranges) {
        return ranges.without(table.pending.within(ranges)).without(table.heldBack.within(ranges));
    }

    private @Nullable NodeId lostOwner(Custody custody, Turn turn) {
        for (NodeId owner : custody.others(context.self())) {
            if (isLost(context.peers.ensure(owner, turn), turn.now())) {
                return owner;
            }
        }
        return null;
    }

    private boolean isLost(Peer peer, long now) {
        Duration after = context.config.reReplicateAfter();
        boolean goneForGood = after != null
                && peer.state() == PeerState.TERMINATED
                && now - peer.stateSinceNanos() >= after.toNanos();
        return peer.removed() || peer.drained() || goneForGood;
    }

    private List<NodeId> substitutes(Custody custody, Turn turn) {
        return context.choose(1, custody.owners(), turn.now(), turn.random());
    }

    private void pageRead(
            StreamTable table, Custody custody, @Nullable NodeId lost, List<EntryStore.Pair> pairs, Turn turn) {
        List<NodeId> target = substitutes(custody, turn);
        if (target.isEmpty()) {
            return;
        }
        Custody after = lost == null ? custody.widened(target.get(0)) : custody.replaced(lost, target.get(0));
        for (EntryStore.Pair pair : pairs) {
            Group group = Group.decode(pair.value());
            SequenceSet under = new SequenceSet();
            for (StreamTable.Part part : table.parts()) {
                if (part.custody().equals(custody)) {
                    under.addAll(part.members().within(group.first, group.to()));
                }
            }
            RangeList ranges = settled(table, under.all());
            startAll(new Plan(table, custody, after, target.get(0), lost), group, ranges, turn);
        }
    }

    /** Decided and undecided entries travel apart: the flag in the stored group may be outdated. */
    private void startAll(Plan plan, Group group, RangeList ranges, Turn turn) {
        RangeList undecided = plan.table.prepared.within(ranges);
        for (boolean prepared : new boolean[] {false, true}) {
            RangeList some = prepared ? undecided : ranges.without(undecided);
            for (int i = 0; i < some.count(); i++) {
                start(new Move(plan, group.part(some.from(i), some.to(i), plan.after, prepared)), turn);
            }
        }
    }

    private void start(Move move, Turn turn) {
        moves.add(move);
        if (!move.isRestoration()) {
            // Until the copy is acknowledged the target counts as a former owner: whatever happens, it will be told.
            context.ledger.release(move.table, move.target, move.ranges);
            turn.store().requireDurable();
        }
        send(move, turn);
    }

    private void send(Move move, Turn turn) {
        move.repeatAtNanos = turn.now() + context.config.putTimeout().toNanos();
        // Whether the target still takes copies (rule I6) is asked when the copy leaves, not when it is planned.
        turn.whenDurable(later -> {
            Peer peer = context.peers.find(move.target);
            if (peer != null && peer.linked() && peer.state() == PeerState.ACTIVE && moves.contains(move)) {
                later.send(peer, OutboxProtocol.CHANNEL, OutboxMessages.REPLICATE, move.group.bytes(), false);
            }
        });
    }

    private void repeat(Turn turn) {
        for (Move move : List.copyOf(moves)) {
            if (turn.now() >= move.repeatAtNanos) {
                if (context.isSelectable(move.target, turn.now())) {
                    send(move, turn);
                } else {
                    abandon(move, turn);
                }
            }
        }
    }

    /** ACK from a new owner. */
    void acknowledged(Peer from, StreamTable table, int status, long epoch, RangeList ranges, Turn turn) {
        if (moves.isEmpty()) {
            return;
        }
        for (Move move : List.copyOf(moves)) {
            boolean concerned = move.table == table && move.target.equals(from.id()) && move.after.epoch() == epoch;
            RangeList hit = concerned ? move.open.within(ranges) : new RangeList();
            if (!hit.isEmpty()) {
                if (status == OutboxMessages.STATUS_STORED) {
                    complete(move, hit, turn);
                } else {
                    abandon(move, turn);
                }
            }
        }
        if (moves.isEmpty()) {
            tick(turn);
        }
    }

    private void complete(Move move, RangeList hit, Turn turn) {
        move.open.removeAll(hit);
        if (move.open.isEmpty()) {
            moves.remove(move);
        }
        RangeList still = stillUnder(move, hit);
        if (still.isEmpty() || move.isRestoration()) {
            return;
        }
        context.counters.replaced += still.total();
        context.ledger.custody(move.table, still, move.after, turn);
        context.ledger.released(move.table, move.target, still);
        NodeId lost = move.lost;
        if (lost != null) {
            context.ledger.release(move.table, lost, still);
            context.outgoing.release(lost, move.table, move.after, still);
        }
        claims.announce(move.table, move.after, still);
        turn.store().requireDurable();
    }

    /** The target is gone or refuses: raise the epoch above its possible copy and tell it to drop that. */
    private void abandon(Move move, Turn turn) {
        moves.remove(move);
        RangeList still = stillUnder(move, move.open.all());
        if (!still.isEmpty() && !move.isRestoration()) {
            Custody back = new Custody(
                    EntryState.STORED,
                    move.after.epoch() + 1,
                    move.before.owners(),
                    move.before.order(),
                    move.before.adoptedFrom());
            context.ledger.custody(move.table, still, back, turn);
            context.outgoing.release(move.target, move.table, back, still);
            claims.announce(move.table, back, still);
            turn.store().requireDurable();
        }
    }

    private static RangeList stillUnder(Move move, RangeList ranges) {
        SequenceSet still = new SequenceSet();
        for (StreamTable.Part part : move.table.parts()) {
            if (part.custody().equals(move.before)) {
                still.addAll(part.members().within(ranges));
            }
        }
        return still.all();
    }

    /** This node is drained: its entries go to the first other owner that can take over. */
    private void handOver(Turn turn) {
        for (StreamTable table : context.ledger.tables()) {
            for (StreamTable.Part part : table.parts()) {
                Custody custody = part.custody();
                NodeId heir = custody.state() == EntryState.STORED ? heir(custody) : null;
                RangeList held = part.members().all();
                RangeList free = settled(table, held).without(table.taken.within(held));
                SequenceSet lacking = heir == null ? null : missingAt(heir, table);
                free = lacking == null ? free : free.without(lacking.within(free));
                if (heir != null && !free.isEmpty()) {
                    Custody after = custody.handedTo(heir);
                    deliveries.withdraw(table, free);
                    deadLetters.forget(table, free, turn);
                    context.ledger.custody(table, free, after, turn);
                    context.counters.ceded += free.total();
                    claims.announce(table, after, free);
                    turn.store().requireDurable();
                    turn.notify(new OutboxEvent.Ceded(heir, free.total()));
                }
            }
        }
    }

    /** Entries an owner should have a copy of and has not. */
    private @Nullable SequenceSet missingAt(NodeId owner, StreamTable table) {
        Map<StreamTable, SequenceSet> tables = missing.get(owner);
        return tables == null ? null : tables.get(table);
    }

    private @Nullable NodeId heir(Custody custody) {
        for (NodeId owner : custody.others(context.self())) {
            Peer peer = context.peers.find(owner);
            if (peer != null && peer.state() == PeerState.ACTIVE && !peer.drained() && !peer.removed()) {
                return owner;
            }
        }
        return null;
    }
}
