package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Service;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Numbers under the keys 0 to 31, in leaves that can be split. A write returns what it overwrites, so a result says in which order writes
 * were executed.
 */
class LeafService implements Service {
    static final int KEYS = 32;
    static final long FIRST_LEAF = 1;
    private static final int USE = 1;
    private static final int CHASE = 2;
    private static final int SPLIT = 3;
    private static final int NEXT = 4;
    private static final int MERGE = 5;
    private static final int DOP = 6;

    private static final class Leaf {
        final long number;
        final TreeMap<Integer, Long> values = new TreeMap<>();

        /** How often it was split. */
        int splits;

        Leaf(long number) {
            this.number = number;
        }
    }

    /** By the first key that may be in it. */
    private final TreeMap<Integer, Leaf> leaves = new TreeMap<>();

    long keptBytesMax = KEPT_BYTES;

    @Override
    public long keptBytesMax() {
        return keptBytesMax;
    }

    LeafService() {
        leaves.put(0, new Leaf(FIRST_LEAF));
    }

    /** Reads some keys and overwrites others with the tag of the operation. */
    static Slice use(long tag, List<Integer> reads, List<Integer> writes) {
        BinWriter out = new BinWriter().u8(USE).i64(tag).u8(reads.size());
        reads.forEach(out::u8);
        out.u8(writes.size());
        writes.forEach(out::u8);
        return out.toSlice();
    }

    /** Overwrites the key that the value of another one leads to. */
    static Slice chase(long tag, int key) {
        return new BinWriter().u8(CHASE).i64(tag).u8(key).toSlice();
    }

    /** Reads the first value that is there after a key. */
    static Slice next(long tag, int key) {
        return new BinWriter().u8(NEXT).i64(tag).u8(key).toSlice();
    }

    /** What the paper orders to place everything anew: it meets everything, and needs all groups. */
    static Slice dop(long tag) {
        return new BinWriter().u8(DOP).i64(tag).toSlice();
    }

    /** Cuts the leaf of a key in the middle of what it contains by then. */
    Slice split(long tag, int key) {
        Leaf leaf = leaf(key);
        return new BinWriter()
                .u8(SPLIT)
                .i64(tag)
                .i64(leaf.number)
                .u8(leaf.splits)
                .toSlice();
    }

    static long tag(Slice operation) {
        BinReader in = new BinReader(operation);
        in.u8();
        return in.i64();
    }

    /** Joins the leaf of a key with the one behind it; null if there is none. */
    @Nullable
    Slice merge(long tag, int key) {
        Map.Entry<Integer, Leaf> behind = leaves.higherEntry(key);
        return behind == null
                ? null
                : new BinWriter()
                        .u8(MERGE)
                        .i64(tag)
                        .i64(leaf(key).number)
                        .i64(behind.getValue().number)
                        .toSlice();
    }

    private @Nullable Leaf behind(@Nullable Leaf leaf) {
        for (Map.Entry<Integer, Leaf> each : leaves.entrySet()) {
            if (each.getValue() == leaf) {
                Map.Entry<Integer, Leaf> next = leaves.higherEntry(each.getKey());
                return next == null ? null : next.getValue();
            }
        }
        return null;
    }

    private static long born(long leaf, int splits) {
        return (leaf * 31 + splits + 1) * 0x9E3779B97F4A7C15L;
    }

    private static List<Integer> keys(BinReader in) {
        List<Integer> keys = new ArrayList<>();
        for (int left = in.u8(); left > 0; left--) {
            keys.add(in.u8());
        }
        return keys;
    }

    private Leaf leaf(int key) {
        return leaves.floorEntry(key).getValue();
    }

    private @Nullable Leaf numbered(long number) {
        for (Leaf each : leaves.values()) {
            if (each.number == number) {
                return each;
            }
        }
        return null;
    }

    int leaves() {
        return leaves.size();
    }

    long leafOf(int key) {
        return leaf(key).number;
    }

    @Override
    public Footprint footprint(Slice operation) {
        BinReader in = new BinReader(operation);
        int type = in.u8();
        in.i64();
        return switch (type) {
            case USE -> {
                long[] reads = keys(in).stream().mapToLong(key -> key).toArray();
                yield Footprint.keys(
                        reads, keys(in).stream().mapToLong(key -> key).toArray());
            }
            case SPLIT -> {
                long leaf = in.i64();
                yield Footprint.objects(leaf, born(leaf, in.u8()));
            }
            case MERGE -> Footprint.objects(in.i64(), in.i64());
            default -> Footprint.EVERYTHING;
        };
    }

    @Override
    public void trace(Slice operation, Accesses accesses) {
        BinReader in = new BinReader(operation);
        int type = in.u8();
        in.i64();
        if (type == SPLIT) {
            Leaf leaf = numbered(in.i64());
            if (leaf != null) {
                accesses.use(leaf.number, true);
            }
        } else if (type == MERGE) {
            Leaf left = numbered(in.i64());
            if (left != null && accesses.use(left.number, true)) {
                Leaf right = behind(left);
                if (right != null && right.number == in.i64()) {
                    accesses.use(right.number, true);
                }
            }
        } else if (type == DOP) {
            for (Leaf leaf : leaves.values()) {
                if (!accesses.use(leaf.number, true)) {
                    return;
                }
            }
        } else if (type == CHASE) {
            int key = in.u8();
            if (accesses.use(leaf(key).number, false)) {
                accesses.use(leaf(target(key)).number, true);
            }
        } else if (type == NEXT) {
            int key = in.u8();
            for (Map.Entry<Integer, Leaf> at = leaves.floorEntry(key);
                    at != null;
                    at = leaves.higherEntry(at.getKey())) {
                if (!accesses.use(at.getValue().number, false)
                        || at.getValue().values.higherKey(key) != null) {
                    return;
                }
            }
        } else {
            for (int key : keys(in)) {
                if (!accesses.use(leaf(key).number, false)) {
                    return;
                }
            }
            for (int key : keys(in)) {
                if (!accesses.use(leaf(key).number, true)) {
                    return;
                }
            }
        }
    }

    private int target(int key) {
        return (int) Math.floorMod(leaf(key).values.getOrDefault(key, 0L) * 7 + key, (long) KEYS);
    }

    @Override
    public Slice execute(Slice operation, Births births) {
        BinReader in = new BinReader(operation);
        int type = in.u8();
        long tag = in.i64();
        BinWriter out = new BinWriter();
        switch (type) {
            case SPLIT -> split(in.i64(), in.u8(), births);
            case MERGE -> merge(in.i64(), in.i64(), births);
            case DOP -> out.i64(tag);
            case CHASE -> {
                int target = target(in.u8());
                Long old = leaf(target).values.put(target, tag);
                out.u8(target).i64(old == null ? 0 : old);
            }
            case NEXT -> {
                int key = in.u8();
                Long value = 0L;
                for (Map.Entry<Integer, Leaf> at = leaves.floorEntry(key);
                        at != null && value == 0;
                        at = leaves.higherEntry(at.getKey())) {
                    Map.Entry<Integer, Long> found = at.getValue().values.higherEntry(key);
                    value = found == null ? 0 : found.getValue();
                }
                out.i64(value);
            }
            default -> {
                keys(in).forEach(key -> out.i64(leaf(key).values.getOrDefault(key, 0L)));
                for (int key : keys(in)) {
                    Long old = leaf(key).values.put(key, tag);
                    out.i64(old == null ? 0 : old);
                }
            }
        }
        return out.toSlice();
    }

    private void split(long number, int splits, Births births) {
        Leaf leaf = numbered(number);
        if (leaf == null || leaf.splits != splits || leaf.values.size() < 2) {
            return;
        }
        int at = List.copyOf(leaf.values.keySet()).get(leaf.values.size() / 2);
        Leaf upper = new Leaf(born(number, splits));
        leaf.splits++;
        upper.values.putAll(leaf.values.tailMap(at));
        leaf.values.tailMap(at).clear();
        leaves.put(at, upper);
        births.born(upper.number, number);
    }

    private void merge(long first, long second, Births births) {
        Leaf left = numbered(first);
        Leaf right = behind(left);
        if (left != null && right != null && right.number == second) {
            left.values.putAll(right.values);
            leaves.values().remove(right);
            births.died(second);
        }
    }

    @Override
    public boolean has(long object) {
        return numbered(object) != null;
    }

    @Override
    public Slice content(long object) {
        for (Map.Entry<Integer, Leaf> each : leaves.entrySet()) {
            if (each.getValue().number == object) {
                return content(each.getKey(), each.getValue());
            }
        }
        throw new IllegalArgumentException("no leaf " + object);
    }

    private static Slice content(int first, Leaf leaf) {
        BinWriter out = new BinWriter().u8(first).u8(leaf.splits).varint(leaf.values.size());
        leaf.values.forEach((key, value) -> out.u8(key).i64(value));
        return out.toSlice();
    }

    @Override
    public Iterator<Content> contents() {
        List<Content> contents = new ArrayList<>();
        leaves.forEach((first, leaf) -> contents.add(new Content(leaf.number, content(first, leaf))));
        return contents.iterator();
    }

    @Override
    public Loading load() {
        TreeMap<Integer, Leaf> loaded = new TreeMap<>();
        return new Loading() {
            @Override
            public void add(long object, Slice content) {
                BinReader in = new BinReader(content);
                int first = in.u8();
                Leaf leaf = new Leaf(object);
                leaf.splits = in.u8();
                if (loaded.put(first, leaf) != null) {
                    throw new MalformedException("two leaves from " + first + " on");
                }
                for (long more = in.varint(); more > 0; more--) {
                    leaf.values.put(in.u8(), in.i64());
                }
            }

            @Override
            public void finish() {
                if (!loaded.containsKey(0)) {
                    throw new MalformedException("no first leaf");
                }
                leaves.clear();
                leaves.putAll(loaded);
            }
        };
    }
}
