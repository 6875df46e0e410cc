package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
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

    void write(BinWriter out) {
        out.varint(others.size());
        others.forEach((object, groups) -> out.i64(object).i32(groups));
    }

    static Map<Long, Integer> read(BinReader in) {
        Map<Long, Integer> read = new TreeMap<>();
        for (int left = in.count(12, "objects"); left > 0; left--) {
            read.put(in.i64(), in.i32());
        }
        return read;
    }

    void take(Map<Long, Integer> places) {
        others.clear();
        others.putAll(places);
    }

    @Override
    public String toString() {
        return others.toString();
    }
}
