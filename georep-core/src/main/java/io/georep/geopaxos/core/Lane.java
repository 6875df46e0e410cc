package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import java.util.TreeMap;

/** What the log of one group has led to on this node. */
final class Lane {
    /** The last slot that was processed. */
    long slot;

    /** The last timestamp given; never falls. */
    long clock;

    KnownIds known = new KnownIds();

    /** What waits to be executed, by its timestamp in this group. */
    final TreeMap<Long, Pending> waiting = new TreeMap<>();

    /** Those that another node may have executed already, as far as this group can tell. */
    final TreeMap<OpId, Pending> ripe = new TreeMap<>();

    /** Those whose timestamp is final, and which the clock has not passed with a SYNC of theirs. */
    final TreeMap<OpId, Pending> unsynced = new TreeMap<>();

    /** All but what waits. */
    void write(BinWriter out) {
        known.write(out.varint(slot).varint(clock));
    }

    static Lane read(BinReader in) {
        Lane lane = new Lane();
        lane.slot = in.varint(Operation.NUMBER_MAX, "slot");
        lane.clock = in.varint(Operation.NUMBER_MAX, "clock");
        lane.known = KnownIds.read(in);
        return lane;
    }

    void add(int group, Pending pending) {
        waiting.put(pending.stampIn(group), pending);
        if (pending.isRipeIn(group)) {
            ripe.put(pending.operation.id(), pending);
        }
    }

    void remove(int group, Pending pending) {
        waiting.remove(pending.stampIn(group));
        ripe.remove(pending.operation.id());
        unsynced.remove(pending.operation.id());
    }
}
