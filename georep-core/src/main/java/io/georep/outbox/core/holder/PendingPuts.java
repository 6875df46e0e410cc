package io.georep.outbox.core.holder;

import io.georep.model.EntryState;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Own puts on their way from Received to Stored (rules o3, o4, o5, 6.3): collects acknowledgements, replaces owners that
 * do not answer, gives up after T_put.
 */
public final class PendingPuts {
    private final OutboxContext context;
    private final Deliveries deliveries;

    /** Waiting groups by their first sequence number, per stream. */
    private final TreeMap<io.georep.model.StreamId, TreeMap<Long, PendingGroup>> groups = new TreeMap<>();

    private static final Comparator<PendingGroup> BY_AGE = Comparator.<PendingGroup>comparingLong(
                    group -> group.createdNanos)
            .thenComparing(group -> group.table.id)
            .thenComparingLong(group -> group.first);

    /** In order of creation, without those that are done: due at T_put/2 for replacement, at T_put for giving up. */
    private final TreeSet<PendingGroup> young = new TreeSet<>(BY_AGE);

    private final TreeSet<PendingGroup> old = new TreeSet<>(BY_AGE);
    /** How many groups wait for each peer; only for those that owe something. */
    private final Map<NodeId, Integer> owed = new HashMap<>();

    private long puts;
    private long bytes;

    public PendingPuts(OutboxContext context, Deliveries deliveries) {
        this.context = context;
        this.deliveries = deliveries;
    }

    /** Puts waiting for copies. */
    public long puts() {
        return puts;
    }

    /** Returns the payload bytes of all puts that wait. */
    long bytes() {
        return bytes;
    }

    /** Groups kept in memory. */
    public int groups() {
        return Math.max(young.size(), old.size());
    }

    /** Returns whether any of these peers owes an acknowledgement. */
    boolean awaitsAny(List<NodeId> ids) {
        for (NodeId id : ids) {
            if (owed.getOrDefault(id, 0) > 0) {
                return true;
            }
        }
        return false;
    }

    /** Sends a group to all other owners in the turn in which it is logged. */
    void begin(PendingGroup group, Turn turn) {
        group.table.received(group.first, group.to);
        insert(group);
        young.add(group);
        old.add(group);
        puts += group.puts.size();
        bytes += group.payloadBytes;
        group.waiting.forEach(id -> owe(id, 1));
        awaitWrite(group, turn);
        replicate(group, group.waiting, turn);
    }

    private void insert(PendingGroup group) {
        groups.computeIfAbsent(group.table.id, none -> new TreeMap<>()).put(group.first, group);
    }

    private void owe(NodeId id, int change) {
        owed.merge(id, change, (before, more) -> before + more == 0 ? null : before + more);
    }

    private void awaitWrite(PendingGroup group, Turn turn) {
        group.writeBegun();
        turn.whenDurable(later -> {
            group.writeDone();
            completeWithin(group.table, group.first, group.to, later);
        });
    }

    private void replicate(PendingGroup group, Iterable<NodeId> to, Turn turn) {
        boolean undecided = group.group.prepared && group.table.prepared.contains(group.first);
        Group message = group.group.part(group.first, group.to, group.custody, undecided);
        for (NodeId id : to) {
            Peer peer = context.peers.find(id);
            if (peer != null && peer.linked()) {
                turn.send(peer, OutboxMessages.REPLICATE, message.bytes(), false);
            }
        }
    }

    private List<PendingGroup> overlapping(StreamTable table, long from, long to) {
        TreeMap<Long, PendingGroup> ofStream = groups.get(table.id);
        if (ofStream == null) {
            return List.of();
        }
        Long start = ofStream.floorKey(from);
        List<PendingGroup> found = new ArrayList<>();
        for (PendingGroup group :
                ofStream.subMap(start == null ? from : start, to).values()) {
            if (group.to > from) {
                found.add(group);
            }
        }
        return found;
    }

    /** Takes an acknowledgement of some ranges. The status is per entry, so it may split a group (G22). */
    public void acknowledged(Peer from, StreamTable table, int status, long epoch, RangeList ranges, Turn turn) {
        for (int i = 0; i < ranges.count(); i++) {
            for (PendingGroup group : overlapping(table, ranges.from(i), ranges.to(i))) {
                if (group.waiting.contains(from.id())) {
                    acknowledge(isolate(group, ranges.from(i), ranges.to(i)), from.id(), status, epoch, turn);
                }
            }
        }
    }

    private void acknowledge(PendingGroup group, NodeId from, int status, long epoch, Turn turn) {
        switch (status) {
            case OutboxMessages.STATUS_STORED -> {
                if (epoch == group.custody.epoch()) {
                    settle(group, from);
                    completeWithin(group.table, group.first, group.to, turn);
                }
            }
            case OutboxMessages.STATUS_DELETED -> finishedElsewhere(group, turn);
            default -> replaceOrFail(group, from, turn);
        }
    }

    private void settle(PendingGroup group, NodeId from) {
        if (group.waiting.remove(from)) {
            owe(from, -1);
        }
    }

    /** Cuts a group so that one piece lies within [from, to), and returns that piece. */
    private PendingGroup isolate(PendingGroup group, long from, long to) {
        long start = Math.max(from, group.first);
        long end = Math.min(to, group.to);
        if (start == group.first && end == group.to) {
            return group;
        }
        boolean isYoung = young.contains(group);
        remove(group);
        PendingGroup middle = group.part(start, end);
        List<PendingGroup> pieces = new ArrayList<>();
        if (group.first < start) {
            pieces.add(group.part(group.first, start));
        }
        pieces.add(middle);
        if (end < group.to) {
            pieces.add(group.part(end, group.to));
        }
        for (PendingGroup piece : pieces) {
            insert(piece);
            if (isYoung) {
                young.add(piece);
            }
            old.add(piece);
            piece.waiting.forEach(id -> owe(id, 1));
        }
        return middle;
    }

    private void remove(PendingGroup group) {
        group.done = true;
        young.remove(group);
        old.remove(group);
        group.waiting.forEach(id -> owe(id, -1));
        TreeMap<Long, PendingGroup> ofStream = groups.get(group.table.id);
        if (ofStream != null) {
            ofStream.remove(group.first);
        }
    }

    /** Forgets a stream none of whose puts waits. */
    void forget(StreamTable table) {
        groups.remove(table.id);
    }

    private void close(PendingGroup group) {
        remove(group);
        puts -= group.puts.size();
        bytes -= group.payloadBytes;
        group.table.answered(group.first, group.to);
    }

    /** Rule o3: success once the own write is durable and every other owner has acknowledged. */
    private void completeWithin(StreamTable table, long from, long to, Turn turn) {
        for (PendingGroup group : overlapping(table, from, to)) {
            if (group.isComplete()) {
                close(group);
                succeed(group, turn);
                RangeList held = table.inState(EntryState.HELD, group.range()).all();
                deliveries.offer(table, held, group.group);
            }
        }
    }

    private void succeed(PendingGroup group, Turn turn) {
        context.counters.acknowledged += group.puts.size();
        turn.notify(new OutboxEvent.Stored(group.table.id, group.first, group.puts));
    }

    /** Completes a group that somebody has forwarded already: it is safe, and over. */
    private void finishedElsewhere(PendingGroup group, Turn turn) {
        close(group);
        succeed(group, turn);
        List<NodeId> others = group.custody.others(context.self());
        RangeList range = group.range().without(group.table.finished.within(group.range()));
        context.ledger.finished(group.table, range, others, turn);
        others.forEach(other -> context.outgoing.delete(other, group.table, range));
    }

    /** Entries were finished by another owner (DELETE) while their puts waited. */
    void finishedByOther(StreamTable table, RangeList ranges, Turn turn) {
        for (int i = 0; i < ranges.count(); i++) {
            for (PendingGroup group : overlapping(table, ranges.from(i), ranges.to(i))) {
                PendingGroup piece = isolate(group, ranges.from(i), ranges.to(i));
                close(piece);
                succeed(piece, turn);
            }
        }
    }

    /** Counts the claim of an owner whose acknowledgement is missing as one: only a node with a durable copy claims. */
    public void claimed(StreamTable table, RangeList ranges, Custody claim, NodeId by, Turn turn) {
        for (int i = 0; i < ranges.count(); i++) {
            for (PendingGroup group : overlapping(table, ranges.from(i), ranges.to(i))) {
                if (group.waiting.contains(by) && claim.owners().equals(group.custody.owners())) {
                    PendingGroup piece = isolate(group, ranges.from(i), ranges.to(i));
                    settle(piece, by);
                    completeWithin(table, piece.first, piece.to, turn);
                }
            }
        }
    }

    /** Rule o4, else o5. */
    private void replaceOrFail(PendingGroup group, NodeId lost, Turn turn) {
        if (!replace(group, lost, turn)) {
            fail(group, "owner " + lost + " cannot take the copy and no other node can replace it", turn);
        }
    }

    private boolean replace(PendingGroup group, NodeId lost, Turn turn) {
        boolean claimedElsewhere =
                group.table.inState(EntryState.HELD, group.range()).size() != group.to - group.first;
        if (claimedElsewhere) {
            return false;
        }
        // The new list is sent to every owner. So owners that acknowledged the old list and left since are replaced,
        // too.
        List<NodeId> leaving = new ArrayList<>(group.custody.others(context.self()));
        leaving.removeIf(owner -> !owner.equals(lost) && isActive(owner));
        List<NodeId> excluded = new ArrayList<>(group.custody.owners());
        excluded.addAll(group.contacted);
        List<NodeId> substitutes = context.candidates.choose(leaving.size(), excluded, turn.now(), turn.random());
        if (substitutes.size() < leaving.size()) {
            return false;
        }
        context.counters.replaced += group.puts.size();
        for (int i = 0; i < leaving.size(); i++) {
            group.custody = group.custody.replaced(leaving.get(i), substitutes.get(i));
        }
        context.ledger.custody(group.table, group.range(), group.custody, turn);
        for (NodeId left : leaving) {
            context.ledger.note(group.table, Fact.Duty.REPLACED, left, group.range());
            context.outgoing.release(left, group.table, group.custody, group.range());
        }
        group.waiting.forEach(id -> owe(id, -1));
        group.waiting.clear();
        group.waiting.addAll(group.custody.others(context.self()));
        group.waiting.forEach(id -> owe(id, 1));
        group.contacted.addAll(group.waiting);
        awaitWrite(group, turn);
        replicate(group, group.waiting, turn);
        return true;
    }

    private boolean isActive(NodeId owner) {
        Peer peer = context.peers.find(owner);
        return peer != null && peer.state() == PeerState.ACTIVE && !peer.removed();
    }

    /** Rule o5: withdraws the copies that may exist, and tells the caller that the entries may be delivered all the same (G2). */
    private void fail(PendingGroup group, String why, Turn turn) {
        close(group);
        context.counters.indeterminate += group.puts.size();
        RangeList withdrawn =
                group.table.inState(EntryState.HELD, group.range()).all();
        context.ledger.finished(group.table, withdrawn, group.contacted, turn);
        for (NodeId contacted : group.contacted) {
            context.outgoing.delete(contacted, group.table, withdrawn);
        }
        // Does not wait until the mark is durable: a disk that hangs is one of the reasons for giving up. If the mark
        // is lost, that can only cause the duplicate that the answer warns of.
        turn.notify(new OutboxEvent.PutFailed(
                group.puts,
                new IndeterminateException(why + ": the entry was withdrawn, but a copy that could not be reached may"
                        + " still be forwarded")));
    }

    /** Replaces chosen owners that are no longer Active, at once (G1). */
    public void peerChanged(Peer peer, Turn turn) {
        if (peer.state() == PeerState.ACTIVE && !peer.removed()) {
            return;
        }
        for (PendingGroup group : waitingFor(peer.id())) {
            replaceOrFail(group, peer.id(), turn);
        }
    }

    private List<PendingGroup> waitingFor(NodeId id) {
        List<PendingGroup> found = new ArrayList<>();
        for (TreeMap<Long, PendingGroup> ofStream : groups.values()) {
            for (PendingGroup group : ofStream.values()) {
                if (group.waiting.contains(id)) {
                    found.add(group);
                }
            }
        }
        return found;
    }

    /** Repeats what a peer has not acknowledged, once there is a link to it again. */
    public void peerReachable(Peer peer, Turn turn) {
        for (PendingGroup group : waitingFor(peer.id())) {
            replicate(group, List.of(peer.id()), turn);
        }
    }

    public void onTimer(Turn turn) {
        long half = context.config.putTimeout().toNanos() / 2;
        while (!young.isEmpty() && young.first().createdNanos + half - turn.now() <= 0) {
            PendingGroup group = young.pollFirst();
            for (NodeId silent : List.copyOf(group.waiting)) {
                if (!group.done && group.waiting.contains(silent)) {
                    replace(group, silent, turn);
                }
            }
        }
        while (!old.isEmpty() && old.first().createdNanos + 2 * half - turn.now() <= 0) {
            PendingGroup group = old.first();
            fail(group, late(group), turn);
        }
    }

    private String late(PendingGroup group) {
        return (group.waiting.isEmpty() ? "the own store did not answer" : "no acknowledgement from " + group.waiting)
                + " within " + context.config.putTimeout();
    }

    public long nextDeadlineNanos() {
        long half = context.config.putTimeout().toNanos() / 2;
        long next = young.isEmpty() ? Long.MAX_VALUE : young.first().createdNanos + half;
        return old.isEmpty() ? next : Math.min(next, old.first().createdNanos + 2 * half);
    }
}
