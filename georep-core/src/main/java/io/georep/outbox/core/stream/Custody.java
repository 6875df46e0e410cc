package io.georep.outbox.core.stream;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.core.sets.OutboxBounds;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a node holds a set of entries: the part of an entry's record that thousands of entries share. Changing the
 * custody of a whole range is one small fact, which is what makes the adoption of a million entries cheap.
 *
 * @param state STORED: this node is the holder (or still collects the copies); COPY: a copy for others; REMOVED: no
 *     longer an owner, kept only to refuse late copies of an older epoch
 * @param epoch raised by every adoption and owner replacement; never falls on a node
 * @param owners the f+1 owners; positions decide between claims of one epoch
 * @param order permutation of the owners: who forwards, who adopts next (gaps G7, G15)
 * @param adoptedFrom the first owner before this node adopted, null when it did not
 */
public record Custody(
        EntryState state,
        long epoch,
        List<NodeId> owners,
        List<NodeId> order,
        @Nullable NodeId adoptedFrom) {
    /** Most owners an entry can have. */
    public static final int OWNERS_MAX = 16;

    /** In a fact, instead of the place among the owners: the name follows. */
    private static final int NAMED = 255;

    /** Returns the custody of a fresh entry: the order is that of the owners, and the epoch is 0. */
    public static Custody fresh(EntryState state, List<NodeId> owners) {
        return new Custody(state, 0, owners, owners, null);
    }

    public Custody withState(EntryState other) {
        return new Custody(other, epoch, owners, order, other == EntryState.HELD ? adoptedFrom : null);
    }

    public Custody withOrder(List<NodeId> other) {
        return new Custody(state, epoch, owners, other, adoptedFrom);
    }

    /** Returns the next epoch. */
    public long raised() {
        return OutboxBounds.EPOCH.raise(epoch);
    }

    public Custody withEpoch(long other) {
        return new Custody(state, other, owners, order, adoptedFrom);
    }

    /** Returns the owner who may forward: first of the order. */
    public NodeId first() {
        return order.get(0);
    }

    /**
     * Returns the custody after an adoption (rule 6.6): the adopter comes first, all that preceded it go to the end, and the
     * epoch rises.
     */
    public Custody adoptedBy(NodeId adopter) {
        return new Custody(EntryState.HELD, raised(), owners, rotated(adopter), first());
    }

    /** Returns the order in which a node comes first and those before it last. */
    public List<NodeId> rotated(NodeId first) {
        int index = order.indexOf(first);
        List<NodeId> rotated = new ArrayList<>(order.subList(index, order.size()));
        rotated.addAll(order.subList(0, index));
        return List.copyOf(rotated);
    }

    /** Returns the custody with another owner in the place of one that is lost, and a new epoch (rule 6.3(5)). */
    public Custody replaced(NodeId lost, NodeId substitute) {
        return new Custody(state, raised(), swap(owners, lost, substitute), swap(order, lost, substitute), adoptedFrom);
    }

    /** Returns this custody with one more owner, for an entry that had only this node. */
    public Custody widened(NodeId added) {
        List<NodeId> wider = new ArrayList<>(owners);
        wider.add(added);
        List<NodeId> longer = new ArrayList<>(order);
        longer.add(added);
        return new Custody(state, raised(), List.copyOf(wider), List.copyOf(longer), adoptedFrom);
    }

    /** Returns the custody after the holder has given the entry to another owner: the holder goes to the end of the order. */
    public Custody handedTo(NodeId target) {
        List<NodeId> after = new ArrayList<>(order);
        NodeId holder = after.remove(0);
        after.remove(target);
        after.add(0, target);
        after.add(holder);
        return new Custody(EntryState.COPY, raised(), owners, List.copyOf(after), null);
    }

    private static List<NodeId> swap(List<NodeId> list, NodeId out, NodeId in) {
        List<NodeId> swapped = new ArrayList<>(list);
        swapped.replaceAll(id -> id.equals(out) ? in : id);
        return List.copyOf(swapped);
    }

    /**
     * Rank of the claim (6.6.6): the higher epoch wins, then the later position of the claimant among the owners, then the
     * greater name: owners lists may differ. Of two claims by different nodes exactly one outranks the other.
     */
    public boolean outranks(Custody other) {
        if (epoch != other.epoch) {
            return epoch > other.epoch;
        }
        int byPosition = Integer.compare(owners.indexOf(first()), other.owners.indexOf(other.first()));
        return byPosition != 0 ? byPosition > 0 : first().compareTo(other.first()) > 0;
    }

    /** Returns whether this is the same claim, so that there is nothing to decide. */
    public boolean sameClaim(Custody other) {
        return epoch == other.epoch && first().equals(other.first());
    }

    /** Returns the owners except this one, in order. */
    public List<NodeId> others(NodeId self) {
        List<NodeId> others = new ArrayList<>(order);
        others.remove(self);
        return others;
    }

    /** {@code varint epoch | u8 owners | names | one byte per owner: its place in the order}. */
    public void write(BinWriter out) {
        out.varint(epoch).u8(owners.size());
        owners.forEach(out::node);
        for (NodeId id : order) {
            out.u8(owners.indexOf(id));
        }
    }

    public static Custody read(BinReader in, EntryState state) {
        long epoch = OutboxBounds.EPOCH.read(in);
        int count = in.u8();
        if (count < 1 || count > OWNERS_MAX) {
            throw new MalformedException(count + " owners, allowed are 1 to " + OWNERS_MAX);
        }
        List<NodeId> owners = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            owners.add(in.node());
        }
        List<NodeId> order = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int index = in.u8();
            if (index >= count) {
                throw new MalformedException("owner index " + index + " of " + count);
            }
            order.add(owners.get(index));
        }
        if (new LinkedHashSet<>(order).size() != count || new LinkedHashSet<>(owners).size() != count) {
            throw new MalformedException("owners " + owners + " or order " + order + " have repetitions");
        }
        List<NodeId> fixed = List.copyOf(owners);
        return new Custody(state, epoch, fixed, order.equals(fixed) ? fixed : List.copyOf(order), null);
    }

    /**
     * {@link #write} plus {@code u8 state | u8 1 + place of adoptedFrom, 0 when null, 255 and its name when it is no owner
     * any more}, for facts and snapshots.
     */
    public void writeFact(BinWriter out) {
        write(out);
        out.u8(state.code());
        if (adoptedFrom == null) {
            out.u8(0);
        } else if (owners.contains(adoptedFrom)) {
            out.u8(1 + owners.indexOf(adoptedFrom));
        } else {
            out.u8(NAMED).node(adoptedFrom);
        }
    }

    public static Custody readFact(BinReader in) {
        Custody bare = read(in, EntryState.COPY);
        int code = in.u8();
        int from = in.u8();
        if (code > EntryState.REMOVED.code() || (from > bare.owners.size() && from != NAMED)) {
            throw new MalformedException("entry state " + code + ", adopted from owner " + from);
        }
        NodeId named = from == NAMED ? in.node() : null;
        NodeId adoptedFrom = from == 0 || from == NAMED ? named : bare.owners.get(from - 1);
        return new Custody(EntryState.ofCode(code), bare.epoch, bare.owners, bare.order, adoptedFrom);
    }
}
