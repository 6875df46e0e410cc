package io.georep.outbox.core.stream;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.sets.SequenceView;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How each live entry of a stream is held: one set of sequence numbers per {@link Custody}, disjoint and not empty. */
public final class Custodies {
    private final Map<Custody, SequenceSet> sets = new LinkedHashMap<>();

    /** A custody and the entries that have it. */
    public record Part(Custody custody, SequenceView members) {}

    /** Puts entries under a custody, whatever they were under before. */
    void assign(RangeList ranges, Custody custody) {
        unassign(ranges);
        if (!ranges.isEmpty()) {
            sets.computeIfAbsent(custody, none -> new SequenceSet()).addAll(ranges);
        }
    }

    /** Takes entries out of every custody. */
    void unassign(RangeList ranges) {
        Iterator<SequenceSet> members = sets.values().iterator();
        while (members.hasNext()) {
            SequenceSet some = members.next();
            some.removeAll(ranges);
            if (some.isEmpty()) {
                members.remove();
            }
        }
    }

    /** Snapshot of the parts, in the order they came to be; safe to change the table while iterating. */
    List<Part> parts() {
        List<Part> parts = new ArrayList<>(sets.size());
        sets.forEach((custody, members) -> parts.add(new Part(custody, members)));
        return parts;
    }

    /** Returns the part an entry belongs to, null when it has no custody. */
    @Nullable
    Part partOf(long sequence) {
        for (Map.Entry<Custody, SequenceSet> part : sets.entrySet()) {
            if (part.getValue().contains(sequence)) {
                return new Part(part.getKey(), part.getValue());
            }
        }
        return null;
    }

    /** Returns the custody of an entry, null when it has none. */
    @Nullable
    Custody of(long sequence) {
        for (Map.Entry<Custody, SequenceSet> part : sets.entrySet()) {
            if (part.getValue().contains(sequence)) {
                return part.getKey();
            }
        }
        return null;
    }

    /** Returns the entries of these ranges in one state. */
    SequenceSet inState(EntryState state, RangeList ranges) {
        SequenceSet found = new SequenceSet();
        sets.forEach((custody, members) -> {
            if (custody.state() == state) {
                found.addAll(members.within(ranges));
            }
        });
        return found;
    }

    /** Returns the number of entries in one state. */
    long count(EntryState state) {
        long count = 0;
        for (Map.Entry<Custody, SequenceSet> part : sets.entrySet()) {
            count += part.getKey().state() == state ? part.getValue().size() : 0;
        }
        return count;
    }

    /** Returns the entries among these that are here, by custody. */
    Map<Custody, SequenceSet> within(RangeList ranges) {
        Map<Custody, SequenceSet> found = new LinkedHashMap<>();
        sets.forEach((custody, members) -> {
            RangeList hit = members.within(ranges);
            if (!hit.isEmpty()) {
                found.computeIfAbsent(custody, none -> new SequenceSet()).addAll(hit);
            }
        });
        return found;
    }

    /** Returns whether there are no entries. */
    boolean isEmpty() {
        return sets.isEmpty();
    }

    /** Returns whether every entry that is left was released. */
    boolean areReleased() {
        return sets.keySet().stream().allMatch(custody -> custody.state() == EntryState.REMOVED);
    }

    /** Returns whether an entry within [from, to) needs its payload. */
    boolean needPayload(long from, long to) {
        for (Map.Entry<Custody, SequenceSet> part : sets.entrySet()) {
            if (part.getKey().state() != EntryState.REMOVED && part.getValue().intersects(from, to)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a node is an owner of any of them. */
    boolean name(NodeId id) {
        for (Custody custody : sets.keySet()) {
            if (custody.owners().contains(id)) {
                return true;
            }
        }
        return false;
    }

    /** {@code varint custodies, then per custody}: its fact, ranges. */
    void write(BinWriter out) {
        out.varint(sets.size());
        sets.forEach((custody, members) -> {
            custody.writeFact(out);
            members.all().write(out);
        });
    }

    /** Adds what {@link #write} wrote. */
    void read(BinReader in) {
        for (long parts = in.varint(); parts > 0; parts--) {
            Custody custody = Custody.readFact(in);
            assign(RangeList.read(in), custody);
        }
    }
}
