package io.georep.geopaxos.core;

import java.util.Map;
import java.util.TreeMap;

/** Which groups order the operations on each object: sets of bits. */
final class Placement implements Service.Births {
    /** For objects that were never moved. */
    private final int initial;

    private final TreeMap<Long, Integer> others = new TreeMap<>();

    Placement(int initial) {
        this.initial = initial;
    }

    int of(long object) {
        return others.getOrDefault(object, initial);
    }

    void put(long object, int groups) {
        if (groups == initial) {
            others.remove(object);
        } else {
            others.put(object, groups);
        }
    }

    @Override
    public void born(long object, long from) {
        put(object, of(from));
    }

    @Override
    public void died(long object) {
        others.remove(object);
    }

    /** The same for this moment. */
    Placement copy() {
        Placement copy = new Placement(initial);
        copy.others.putAll(others);
        return copy;
    }

    void take(Map<Long, Integer> places) {
        others.clear();
        places.forEach(this::put);
    }

    @Override
    public String toString() {
        return others.toString();
    }
}
