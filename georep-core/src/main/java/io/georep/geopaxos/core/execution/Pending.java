package io.georep.geopaxos.core.execution;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.Slice;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** An operation that stands in the log of one of its groups at least, and is not executed here. */
public final class Pending implements Comparable<Pending> {
    public final Operation operation;
    public final Footprint footprint;

    /** The objects that its keys are in at present. */
    long[] uses = {};

    /** The operations that are looked at again when this one is executed, or turns out to come later. */
    final TreeSet<Pending> waiters = new TreeSet<>();

    /** Its timestamp in each group; 0 while unknown. */
    private final long[] stamps;

    /** The groups whose timestamp is known, as a set of bits. */
    private int known;

    /** The groups whose clock a SYNC of its own has moved past it, as a set of bits. */
    int synced;

    /** The highest timestamp so far: the final one once all groups are known, and never more than that before. */
    private long bound;

    /** The name of its piece of the state; null before it has a timestamp. */
    StatePiece.@Nullable Name name;

    /** Whether the store has that piece. */
    boolean isStored;

    /** Creates it for a cluster in which so many groups were founded. */
    public Pending(Operation operation, Footprint footprint, int founded) {
        this.operation = operation;
        this.footprint = footprint;
        stamps = new long[Math.max(founded, Integer.SIZE - Integer.numberOfLeadingZeros(operation.groups()))];
    }

    /** Returns whether it uses keys and nothing else. */
    boolean hasKeys() {
        return !footprint.everything() && !footprint.hasObjects();
    }

    /** Finds the objects that its keys are in. */
    void locate(Service service) {
        if (hasKeys()) {
            uses = Uses.of(operation.body(), service).numbers();
        }
    }

    void stamp(int group, long stamp) {
        name = name == null ? new StatePiece.Name(StatePiece.WAITING, group, stamp) : name;
        stamps[group] = stamp;
        known |= 1 << group;
        bound = Math.max(bound, stamp);
    }

    long stampIn(int group) {
        return stamps[group];
    }

    boolean isFinal() {
        return known == operation.groups();
    }

    public long bound() {
        return bound;
    }

    /** Returns the groups that have to order it and have not, as far as this node knows. */
    int missing() {
        return operation.groups() & ~known;
    }

    boolean isSynced() {
        return isRipe() || synced == operation.groups();
    }

    /** Returns whether another node may have executed it, as far as this group is concerned. */
    boolean isRipeIn(int group) {
        return isRipe() || (synced >> group & 1) != 0;
    }

    /** Returns whether it needs no SYNC of its own: who knows all its SETs, and that the clocks have passed it, may execute it. */
    private boolean isRipe() {
        return operation.isSingle() || operation.isAtOnce();
    }

    /** By timestamp, then by id. Only among those whose timestamps stay. */
    @Override
    public int compareTo(Pending other) {
        int byTime = Long.compare(bound, other.bound);
        return byTime != 0 ? byTime : operation.id().compareTo(other.operation.id());
    }

    Slice content() {
        BinWriter out = new BinWriter(operation.body().length() + 128);
        operation.write(out);
        for (long stamp : stamps) {
            out.varint(stamp);
        }
        return out.i32(synced).toSlice();
    }

    /**
     * Reads what {@link #content} has written behind the operation.
     *
     * @throws MalformedException if groups that do not order it have a part in it
     */
    void readStamps(BinReader in) {
        for (int group = 0; group < stamps.length; group++) {
            long stamp = in.varint(Operation.NUMBER_MAX, "timestamp");
            if (stamp > 0) {
                stamp(group, stamp);
            }
        }
        synced = in.i32();
        if (((known | synced) & ~operation.groups()) != 0 || in.hasMore()) {
            throw new MalformedException("known in " + known + ", synced in " + synced + ", " + in.remaining()
                    + " bytes more: " + operation.id() + " of the groups " + operation.groups());
        }
    }

    @Override
    public String toString() {
        return operation.id() + "@" + bound + (isFinal() ? "!" : "?") + " in "
                + Integer.toBinaryString(operation.groups()) + ", known in " + Integer.toBinaryString(known)
                + ", synced in " + Integer.toBinaryString(synced);
    }
}
