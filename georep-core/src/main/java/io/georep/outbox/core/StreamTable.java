package io.georep.outbox.core;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows about the entries of one stream: sets of sequence numbers, never objects per entry.
 *
 * <p>Durable (every change is a fact of the {@link Ledger}): {@code copies}, {@code groups}, {@code finished},
 * {@code untold}, {@code unreleased}, {@code unconfirmed}, {@code taken}, {@code uncertain}, {@code dead},
 * {@code prepared}. Of this boot only: {@code ready}, {@code pending}, {@code heldBack}, {@code missing}.
 */
final class StreamTable {
    /** A custody and the live entries that have it. */
    record Part(Custody custody, SequenceSet members) {}

    final StreamId id;
    final String queue;

    /** Next sequence number, for streams of this boot of this node. */
    long next;

    /** Last time anything changed here, on the clock of this boot, also when that was before it ({@link StoreAge}). */
    long touchedNanos;

    /** Whether something changed here since the last heartbeat. */
    boolean changed;

    /** When it was last found that the stream is not over, on the clock of this boot. */
    long examinedNanos = Long.MIN_VALUE;

    /** Whether the stream is in the {@link Archive}, or has a new table since: nothing can change in this one. */
    boolean away;

    /** Entries held, by how. The sets are disjoint and not empty. */
    private final Map<Custody, SequenceSet> copies = new LinkedHashMap<>();

    /** First sequence number of every group whose bytes are in the store. */
    final SequenceSet groups = new SequenceSet();

    /** Entries whose bytes are in the store: those of all groups, also the finished ones beside live neighbours. */
    final SequenceSet covered = new SequenceSet();

    /** Tombstones. */
    final FinishedSet finished = new FinishedSet();

    /** Per owner: finished entries whose DELETE it has not confirmed (G9). */
    final Map<NodeId, SequenceSet> untold = new TreeMap<>();

    /** Per former owner: entries it was replaced for and has not confirmed to have dropped. */
    final Map<NodeId, SequenceSet> unreleased = new TreeMap<>();

    /** Per owner: entries whose present claim (UPDATE) it has not confirmed (G7). */
    final Map<NodeId, SequenceSet> unconfirmed = new TreeMap<>();

    /** Handed to the application. */
    final SequenceSet taken = new SequenceSet();

    /** Set aside as dead letters. */
    final SequenceSet dead = new SequenceSet();

    /** Not handed out before their producer decided (commit or withdrawal). */
    final SequenceSet prepared = new SequenceSet();

    /** Whether the application committed prepared entries here, in this boot: perhaps not all owners heard of it. */
    boolean decidedHere;

    /** Held here and waiting to be handed to the application. */
    final SequenceSet ready = new SequenceSet();

    /** Own puts that wait for copies (state Received). */
    final SequenceSet pending = new SequenceSet();

    /** Not handed out until the other owners answered a QUERY (6.8). */
    final SequenceSet heldBack = new SequenceSet();

    /** Per owner: entries held here of which it said that it has no copy (6.8.6). */
    final Map<NodeId, SequenceSet> missing = new TreeMap<>();

    /** Over according to another owner while the application is at work on them (b7). */
    final SequenceSet overElsewhere = new SequenceSet();

    /** Perhaps forwarded already: handed out before the last restart, given back, or held back and not known to be over. */
    final SequenceSet uncertain = new SequenceSet();

    /** Per owner: entries held here that it may have adopted unseen (6.16). */
    final Map<NodeId, SequenceSet> unproven = new TreeMap<>();

    /** Owners that came while the application had an entry in its hands. */
    final LateOwners lateOwners = new LateOwners();

    StreamTable(StreamId id, String queue) {
        this.id = id;
        this.queue = queue;
    }

    // What a fact changes, when it is written and when it is read again.

    void applyStored(long from, long to, Custody custody) {
        groups.add(from);
        covered.add(from, to);
        next = Math.max(next, to);
        assign(RangeList.of(from, to), custody);
    }

    void applyCustody(RangeList ranges, Custody custody) {
        assign(ranges, custody);
        if (custody.state() == EntryState.REMOVED) {
            clearVolatile(ranges);
        } else if (custody.state() == EntryState.INACTIVE) {
            // Whoever adopts it again announces it as possibly sent anyway. Read again, taken may hold those of old
            // boots.
            uncertain.removeAll(ranges);
            taken.removeAll(ranges);
            strikeAll(unproven, ranges);
        }
    }

    void applyFinished(RangeList ranges, Collection<NodeId> toTell) {
        unassign(ranges);
        clearVolatile(ranges);
        finished.addAll(ranges);
        strikeAll(unconfirmed, ranges);
        for (NodeId owner : toTell) {
            note(untold, owner, ranges);
        }
        // A former owner that still has to be released must now be told that the entry is over.
        for (NodeId owner : List.copyOf(unreleased.keySet())) {
            SequenceSet waiting = unreleased.get(owner);
            if (waiting != null) {
                note(untold, owner, waiting.within(ranges));
            }
        }
        strikeAll(unreleased, ranges);
    }

    void applyGivenBack(RangeList ranges) {
        taken.removeAll(ranges);
        uncertain.addAll(ranges);
    }

    void applyDead(RangeList ranges) {
        dead.addAll(ranges);
        applyGivenBack(ranges);
    }

    /** Snapshot of the parts, in the order they came to be; safe to change the table while iterating. */
    List<Part> parts() {
        List<Part> parts = new ArrayList<>(copies.size());
        copies.forEach((custody, members) -> parts.add(new Part(custody, members)));
        return parts;
    }

    /** The custody of a live entry, null when this node does not hold it. */
    @Nullable
    Custody custodyOf(long sequence) {
        for (Map.Entry<Custody, SequenceSet> part : copies.entrySet()) {
            if (part.getValue().contains(sequence)) {
                return part.getKey();
            }
        }
        return null;
    }

    /** The part a live entry belongs to, null when this node does not hold it. */
    @Nullable
    Part partOf(long sequence) {
        for (Map.Entry<Custody, SequenceSet> part : copies.entrySet()) {
            if (part.getValue().contains(sequence)) {
                return new Part(part.getKey(), part.getValue());
            }
        }
        return null;
    }

    /** The entries of these ranges in one state. */
    SequenceSet inState(EntryState state, RangeList ranges) {
        SequenceSet found = new SequenceSet();
        copies.forEach((custody, members) -> {
            if (custody.state() == state) {
                found.addAll(members.within(ranges));
            }
        });
        return found;
    }

    /** Number of entries in one state. */
    long count(EntryState state) {
        long count = 0;
        for (Map.Entry<Custody, SequenceSet> part : copies.entrySet()) {
            count += part.getKey().state() == state ? part.getValue().size() : 0;
        }
        return count;
    }

    /** Puts entries under a custody, whatever they were under before. */
    void assign(RangeList ranges, Custody custody) {
        unassign(ranges);
        copies.computeIfAbsent(custody, none -> new SequenceSet()).addAll(ranges);
    }

    /** Takes entries out of every custody. */
    void unassign(RangeList ranges) {
        Iterator<SequenceSet> sets = copies.values().iterator();
        while (sets.hasNext()) {
            SequenceSet members = sets.next();
            members.removeAll(ranges);
            if (members.isEmpty()) {
                sets.remove();
            }
        }
    }

    /** Whether {@link #isDoubtful} holds for any entry. */
    boolean hasDoubts() {
        return !uncertain.isEmpty() || !unproven.isEmpty();
    }

    /** Whether somebody may have forwarded an entry that this node holds and did not adopt. */
    boolean isDoubtful(long sequence) {
        if (uncertain.contains(sequence)) {
            return true;
        }
        for (SequenceSet members : unproven.values()) {
            if (members.contains(sequence)) {
                return true;
            }
        }
        return false;
    }

    /** Forgets what only matters while this node holds the entries. */
    void clearVolatile(RangeList ranges) {
        ready.removeAll(ranges);
        pending.removeAll(ranges);
        heldBack.removeAll(ranges);
        uncertain.removeAll(ranges);
        strikeAll(unproven, ranges);
        taken.removeAll(ranges);
        dead.removeAll(ranges);
        prepared.removeAll(ranges);
        overElsewhere.removeAll(ranges);
        strikeAll(missing, ranges);
    }

    /** The groups that touch these ranges and hold no live entry any more, by their first numbers. */
    List<Long> deadGroups(RangeList ranges) {
        List<Long> firsts = new ArrayList<>();
        for (int i = 0; i < ranges.count(); i++) {
            long first = groups.previous(ranges.from(i));
            first = first >= 0 ? first : groups.next(ranges.from(i));
            while (first >= 0 && first < ranges.to(i)) {
                long next = groups.next(first + 1);
                boolean repeated = !firsts.isEmpty() && firsts.get(firsts.size() - 1) == first;
                if (!repeated && !hasPayload(first, groupEnd(first))) {
                    firsts.add(first);
                }
                first = next;
            }
        }
        return firsts;
    }

    /** Sequence number behind the last entry of a group. */
    private long groupEnd(long first) {
        long next = groups.next(first + 1);
        long end = covered.nextAbsent(first);
        return next < 0 ? end : Math.min(end, next);
    }

    /** The bytes of a group are gone from the store. */
    void dropGroup(long first) {
        covered.remove(first, groupEnd(first));
        groups.remove(first, first + 1);
    }

    private boolean hasPayload(long from, long to) {
        for (Map.Entry<Custody, SequenceSet> part : copies.entrySet()) {
            if (part.getKey().state() != EntryState.REMOVED && part.getValue().intersects(from, to)) {
                return true;
            }
        }
        return false;
    }

    /** Whether this node is an owner of anything kept here, or has not confirmed something it is told of. */
    boolean names(NodeId id) {
        if (untold.containsKey(id) || unreleased.containsKey(id) || unconfirmed.containsKey(id)) {
            return true;
        }
        for (Part part : parts()) {
            if (part.custody().owners().contains(id)) {
                return true;
            }
        }
        return false;
    }

    /** Adds to a per-owner set. */
    static void note(Map<NodeId, SequenceSet> perOwner, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            perOwner.computeIfAbsent(owner, none -> new SequenceSet()).addAll(ranges);
        }
    }

    /** Removes from a per-owner set. */
    static void strike(Map<NodeId, SequenceSet> perOwner, NodeId owner, RangeList ranges) {
        SequenceSet members = perOwner.get(owner);
        if (members != null) {
            members.removeAll(ranges);
            if (members.isEmpty()) {
                perOwner.remove(owner);
            }
        }
    }

    /** Removes from all per-owner sets. */
    static void strikeAll(Map<NodeId, SequenceSet> perOwner, RangeList ranges) {
        for (NodeId owner : List.copyOf(perOwner.keySet())) {
            strike(perOwner, owner, ranges);
        }
    }

    /** Whether nothing here needs to be kept but tombstones. */
    boolean isQuiet() {
        return copies.keySet().stream().allMatch(custody -> custody.state() == EntryState.REMOVED)
                && untold.isEmpty()
                && unreleased.isEmpty();
    }

    /** Visits every set that belongs in a snapshot, in a fixed order. */
    void forEachDurableSet(Consumer<SequenceSet> visitor) {
        visitor.accept(groups);
        visitor.accept(covered);
        visitor.accept(finished.above());
        visitor.accept(taken);
        visitor.accept(dead);
        visitor.accept(prepared);
        visitor.accept(uncertain);
    }

    @Override
    public String toString() {
        return "StreamTable[" + id + " " + queue + "]";
    }
}
