package io.georep.geopaxos.core.execution;

import io.georep.geopaxos.core.messages.GeoGroups;
import java.util.Arrays;
import java.util.Map;

/** Which groups order the operations on each object: sets of bits. Other threads may look, as at an {@link ObjectTable}. */
public final class Placement implements Service.Births {
    /** The groups of objects that were never moved. */
    private final int initial;

    private ObjectTable others = new ObjectTable();

    /** By group: how many of the {@link #others} it has. */
    private final int[] held = new int[GeoGroups.MAX];

    public Placement(int initial) {
        this.initial = initial;
    }

    public int of(long object) {
        int groups = others.get(object);
        return groups == 0 ? initial : groups;
    }

    /** Returns how many objects a group has of those that were moved and are not only with their first group. */
    public int held(int group) {
        return held[group];
    }

    public void put(long object, int groups) {
        count(others.put(object, groups == initial ? 0 : groups), -1);
        count(groups == initial ? 0 : groups, 1);
    }

    private void count(int groups, int more) {
        for (int left = groups; left != 0; left &= left - 1) {
            held[Integer.numberOfTrailingZeros(left)] += more;
        }
    }

    @Override
    public void born(long object, long from) {
        put(object, of(from));
    }

    @Override
    public void died(long object) {
        put(object, initial);
    }

    @Override
    public boolean alike(long object, long other) {
        return of(object) == of(other);
    }

    /** Returns the groups of all objects at this moment, and nothing else. */
    Placement copy() {
        Placement copy = new Placement(initial);
        copy.others = others.copy();
        return copy;
    }

    void take(Map<Long, Integer> places) {
        others.clear();
        Arrays.fill(held, 0);
        places.forEach(this::put);
    }

    @Override
    public String toString() {
        return others.toString();
    }
}
