package io.georep.geopaxos.core.execution;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the log of one group has led to on this node. */
public final class GroupState {
    /**
     * How far one operation can move the clock. A contact may want any timestamp, and without this bound the timestamps could
     * run out.
     */
    private static final long AHEAD_MAX = 1L << 32;

    /** The last slot that was processed. */
    public long slot;

    /** The last timestamp given; never falls. */
    public long clock;

    public KnownIds known = new KnownIds();

    /** What waits to be executed. */
    final Conflicts waits = new Conflicts();

    /** The operations that another node may have executed already, as far as this group is concerned. */
    public final Ripe ripe = new Ripe();

    /** The operations that other groups still have to order, as far as this node knows. */
    public final TreeMap<OpId, Pending> partial = new TreeMap<>();

    /** The operations whose timestamp is final, and which the clock has not passed. */
    final TreeSet<Pending> ahead = new TreeSet<>();

    /** The operations whose timestamp is final, and which the clock has not passed by a SYNC of their own. */
    public final TreeMap<OpId, Pending> unsynced = new TreeMap<>();

    /** The ones among {@link #unsynced} that came since the leader last looked. */
    public final TreeSet<OpId> due = new TreeSet<>();

    /** Writes everything except the operations that wait. */
    public void write(BinWriter out) {
        known.write(out.varint(slot).varint(clock));
    }

    static GroupState read(BinReader in) {
        GroupState groupState = new GroupState();
        groupState.slot = in.varint(Operation.NUMBER_MAX, "slot");
        groupState.clock = in.varint(Operation.NUMBER_MAX, "clock");
        groupState.known = KnownIds.read(in);
        return groupState;
    }

    /** Returns the timestamp of an operation that is ordered next: the one that its contact wants, if it is later than all before. */
    public long next(Operation operation) {
        return Math.max(clock + 1, Math.min(operation.clock(), clock + AHEAD_MAX));
    }

    void add(int group, Pending each) {
        waits.add(each);
        if (each.isRipeIn(group)) {
            ripe.add(each);
        }
        if (each.missing() != 0) {
            partial.put(each.operation.id(), each);
        }
    }

    void remove(Pending each) {
        waits.remove(each);
        ripe.remove(each);
        partial.remove(each.operation.id());
    }

    public void unsynced(Pending each) {
        unsynced.put(each.operation.id(), each);
        due.add(each.operation.id());
    }
}
