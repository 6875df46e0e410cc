package io.georep.outbox.core.sets;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A set of sequence numbers for each of some owners; none of them is empty. */
public final class OwnerSets implements OwnerView {
    private static final SequenceView NONE = new SequenceSet();

    private final Map<NodeId, SequenceSet> sets = new TreeMap<>();

    /** Adds to the set of an owner. */
    public void note(NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            sets.computeIfAbsent(owner, none -> new SequenceSet()).addAll(ranges);
        }
    }

    /** Removes from the set of an owner. */
    public void strike(NodeId owner, RangeList ranges) {
        SequenceSet members = sets.get(owner);
        if (members != null) {
            members.removeAll(ranges);
            if (members.isEmpty()) {
                sets.remove(owner);
            }
        }
    }

    /** Removes from the sets of all owners. */
    public void strikeAll(RangeList ranges) {
        if (!sets.isEmpty()) {
            List.copyOf(sets.keySet()).forEach(owner -> strike(owner, ranges));
        }
    }

    /** Removes all that is noted for an owner. */
    public void strikeAll(NodeId owner) {
        sets.remove(owner);
    }

    @Override
    public SequenceView of(NodeId owner) {
        SequenceSet members = sets.get(owner);
        return members == null ? NONE : members;
    }

    @Override
    public Set<NodeId> owners() {
        return Collections.unmodifiableSet(sets.keySet());
    }

    @Override
    public boolean isEmpty() {
        return sets.isEmpty();
    }

    @Override
    public boolean contains(long sequence) {
        for (SequenceSet members : sets.values()) {
            if (members.contains(sequence)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public long total() {
        long total = 0;
        for (SequenceSet members : sets.values()) {
            total += members.size();
        }
        return total;
    }

    /** {@code varint owners, then per owner}: its name, ranges. */
    public void write(BinWriter out) {
        out.varint(sets.size());
        sets.forEach((owner, members) -> members.all().write(out.node(owner)));
    }

    /** Adds what {@link #write} wrote. */
    public void read(BinReader in) {
        for (long owners = in.varint(); owners > 0; owners--) {
            NodeId owner = in.node();
            note(owner, RangeList.read(in));
        }
    }

    @Override
    public String toString() {
        return sets.toString();
    }
}
