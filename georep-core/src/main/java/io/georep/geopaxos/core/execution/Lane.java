package io.georep.geopaxos.core.execution;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the log of one group has led to on this node. */
public final class Lane {
    /** How far an operation moves the clock at the most: what a contact wants is not checked, and there are so many timestamps only. */
    private static final long AHEAD_MAX = 1L << 32;

    /** The last slot that was processed. */
    public long slot;

    /** The last timestamp given; never falls. */
    public long clock;

    public KnownIds known = new KnownIds();

    /** What waits to be executed. */
    final Conflicts waits = new Conflicts();

    /** Those that another node may have executed already, as far as this group can tell. */
    public final Ripe ripe = new Ripe();

    /** Those that other groups have to order and have not, as far as this node knows. */
    public final TreeMap<OpId, Pending> partial = new TreeMap<>();

    /** Those whose timestamp is final, and which the clock has not passed. */
    final TreeSet<Pending> ahead = new TreeSet<>();

    /** Those whose timestamp is final, and which the clock has not passed with a SYNC of theirs. */
    public final TreeMap<OpId, Pending> unsynced = new TreeMap<>();

    /** Those of them that came since the leader looked. */
    public final TreeSet<OpId> due = new TreeSet<>();

    /** All but what waits. */
    public void write(BinWriter out) {
        known.write(out.varint(slot).varint(clock));
    }

    static Lane read(BinReader in) {
        Lane lane = new Lane();
        lane.slot = in.varint(Operation.NUMBER_MAX, "slot");
        lane.clock = in.varint(Operation.NUMBER_MAX, "clock");
        lane.known = KnownIds.read(in);
        return lane;
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
