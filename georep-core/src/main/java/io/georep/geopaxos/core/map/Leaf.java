package io.georep.geopaxos.core.map;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.codec.SplitMix;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The keys from a lower bound up to that of the next leaf, with their values. A leaf never changes: a write makes another with the same
 * number, so that a snapshot is a list of leaves.
 */
final class Leaf implements CallerReads.Part {
    /** The most entries of a leaf; one with more is split. */
    static final int CAPACITY = 64;

    /** The most entries of a leaf after a division or a join, so that neither is undone at once. */
    private static final int HALF = CAPACITY / 2;

    /** The first part of a key that is not in two parts. */
    static final byte[] NOTHING = {};

    /** The number of the only leaf of an empty map. */
    static final long FIRST = 1;

    final long number;

    /** How many leaves were split from this one so far. */
    private final long children;

    final Slice low;
    private final byte[][] keys;
    private final byte[][] values;

    /** When the entries expire; null if none does. */
    private final long @Nullable [] expiries;

    /** When the first of them expires; 0 if none does. */
    final long earliest;

    /** Bytes of all keys and values. */
    final long bytes;

    private Leaf(
            long number,
            long children,
            Slice low,
            byte[][] keys,
            byte[][] values,
            long @Nullable [] expiries,
            long bytes) {
        this.number = number;
        this.children = children;
        this.low = low;
        this.keys = keys;
        this.values = values;
        this.bytes = bytes;
        earliest = expiries == null
                ? 0
                : Arrays.stream(expiries).filter(time -> time > 0).min().orElse(0);
        this.expiries = earliest == 0 ? null : expiries;
    }

    private static long bytes(byte[][] keys, byte[][] values, int from, int to) {
        long bytes = 0;
        for (int place = from; place < to; place++) {
            bytes += keys[place].length + values[place].length;
        }
        return bytes;
    }

    /** Returns the only leaf of an empty map. */
    static Leaf first() {
        return new Leaf(FIRST, 0, Slice.EMPTY, new byte[0][], new byte[0][], null, 0);
    }

    @Override
    public long number() {
        return number;
    }

    int size() {
        return keys.length;
    }

    boolean isSparse() {
        return keys.length <= HALF / 2;
    }

    /** Returns the place of a key, or where it would be as -1 - place. */
    int find(Slice key) {
        return find(NOTHING, key.array(), key.offset(), key.length());
    }

    /** Returns the place of a key that is in two parts. */
    private int find(byte[] begin, byte[] rest, int offset, int length) {
        int from = 0;
        int to = keys.length - 1;
        while (from <= to) {
            int middle = (from + to) >>> 1;
            byte[] one = keys[middle];
            int order = compare(one, 0, one.length, begin, rest, offset, length);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                from = middle + 1;
            } else {
                to = middle - 1;
            }
        }
        return -1 - from;
    }

    /** Returns how many keys are smaller. */
    int rank(Slice key) {
        int place = find(key);
        return place < 0 ? -1 - place : place;
    }

    @Nullable
    Slice value(Slice key) {
        int place = find(key);
        return place < 0 ? null : Slice.of(values[place]);
    }

    @Override
    public byte @Nullable [] value(byte[] begin, byte[] rest) {
        int place = find(begin, rest, 0, rest.length);
        return place < 0 ? null : values[place];
    }

    MapEntry entry(int place) {
        return new MapEntry(Slice.of(keys[place]), Slice.of(values[place]), expiresAt(place));
    }

    long expiresAt(int place) {
        return expiries == null ? 0 : expiries[place];
    }

    Slice key(int place) {
        return Slice.of(keys[place]);
    }

    Leaf with(MapEntry entry) {
        int place = find(entry.key());
        return place < 0 ? spliced(-1 - place, -1 - place, entry) : spliced(place, place + 1, entry);
    }

    Leaf without(int place) {
        return spliced(place, place + 1, null);
    }

    /** Returns the same leaf with at most one entry in the place of those from one place to another. */
    private Leaf spliced(int from, int to, @Nullable MapEntry entry) {
        int added = entry == null ? 0 : 1;
        int size = keys.length - (to - from) + added;
        byte[][] newKeys = new byte[size][];
        byte[][] newValues = new byte[size][];
        System.arraycopy(keys, 0, newKeys, 0, from);
        System.arraycopy(values, 0, newValues, 0, from);
        System.arraycopy(keys, to, newKeys, from + added, keys.length - to);
        System.arraycopy(values, to, newValues, from + added, keys.length - to);
        long[] newExpiries = null;
        if (expiries != null || (entry != null && entry.expiresAt() > 0)) {
            long[] old = expiries == null ? new long[keys.length] : expiries;
            newExpiries = new long[size];
            System.arraycopy(old, 0, newExpiries, 0, from);
            System.arraycopy(old, to, newExpiries, from + added, keys.length - to);
        }
        if (entry != null) {
            newKeys[from] = from < to ? keys[from] : entry.key().toArray();
            newValues[from] = entry.value().toArray();
            if (newExpiries != null) {
                newExpiries[from] = entry.expiresAt();
            }
        }
        long newBytes =
                bytes - bytes(keys, values, from, to) + (entry == null ? 0 : bytes(newKeys, newValues, from, from + 1));
        return new Leaf(number, children, low, newKeys, newValues, newExpiries, newBytes);
    }

    /** Returns the operation that splits it into leaves that are half full. */
    MapOperation.Split split() {
        int parts = (keys.length + HALF - 1) / HALF;
        return new MapOperation.Split(number, children, Math.max(2, Math.min(parts, MapOperation.PARTS_MAX)));
    }

    boolean admits(MapOperation.Split split) {
        return keys.length > CAPACITY && children == split.children();
    }

    /** Returns the numbers of the leaves that a division makes. */
    static long[] born(MapOperation.Split split) {
        return LongStream.range(split.children() + 1, split.children() + split.parts())
                .map(count -> child(split.leaf(), count))
                .toArray();
    }

    /** Splits it; the first part keeps number and lower bound. */
    List<Leaf> divided(int parts) {
        List<Leaf> leaves = new ArrayList<>(parts);
        for (int part = 0; part < parts; part++) {
            int from = (int) ((long) keys.length * part / parts);
            int to = (int) ((long) keys.length * (part + 1) / parts);
            leaves.add(new Leaf(
                    part == 0 ? number : child(number, children + part),
                    part == 0 ? children + parts - 1 : 0,
                    part == 0 ? low : Slice.of(keys[from]),
                    Arrays.copyOfRange(keys, from, to),
                    Arrays.copyOfRange(values, from, to),
                    expiries == null ? null : Arrays.copyOfRange(expiries, from, to),
                    bytes(keys, values, from, to)));
        }
        return leaves;
    }

    /** Returns the number of a leaf split from another. A million leaves have two of the same number once in 30 million histories. */
    private static long child(long number, long count) {
        return SplitMix.mixed(number + count * SplitMix.GOLDEN);
    }

    /** This leaf with all entries of the one after it. */
    Leaf joined(Leaf next) {
        Leaf joined = this;
        for (int place = 0; place < next.size(); place++) {
            joined = joined.spliced(joined.size(), joined.size(), next.entry(place));
        }
        return joined;
    }

    /** Returns its bytes. */
    Slice content() {
        BinWriter out = new BinWriter();
        write(out);
        return out.toSlice();
    }

    void write(BinWriter out) {
        out.i64(number).varint(children).bytes(low).varint(keys.length);
        for (int place = 0; place < keys.length; place++) {
            entry(place).write(out);
        }
    }

    static Leaf read(BinReader in) {
        long number = in.i64();
        long children = in.varint();
        Slice low = Slice.of(in.bytes().toArray());
        int size = in.count(3, "entries");
        byte[][] keys = new byte[size][];
        byte[][] values = new byte[size][];
        long[] expiries = new long[size];
        for (int place = 0; place < size; place++) {
            MapEntry entry = MapEntry.read(in);
            keys[place] = entry.key().toArray();
            values[place] = entry.value().toArray();
            expiries[place] = entry.expiresAt();
            if (place == 0 ? compare(low, entry.key()) > 0 : compare(Slice.of(keys[place - 1]), entry.key()) >= 0) {
                throw new MalformedException("keys of a leaf are not in order");
            }
        }
        return new Leaf(number, children, low, keys, values, expiries, bytes(keys, values, 0, size));
    }

    /** Returns whether a leaf cannot come after this one. */
    boolean isNotBefore(Leaf next) {
        return compare(keys.length == 0 ? low : key(keys.length - 1), next.low) >= 0;
    }

    /** Orders keys by their bytes, taken as unsigned. */
    static int compare(Slice one, Slice other) {
        return compare(one, NOTHING, other.array(), other.offset(), other.length());
    }

    /** The second key is in two parts. */
    static int compare(Slice one, byte[] begin, byte[] rest, int offset, int length) {
        return compare(one.array(), one.offset(), one.length(), begin, rest, offset, length);
    }

    private static int compare(
            byte[] one, int oneOffset, int oneLength, byte[] begin, byte[] rest, int offset, int length) {
        int same = Math.min(oneLength, begin.length);
        int order = Arrays.compareUnsigned(one, oneOffset, oneOffset + same, begin, 0, begin.length);
        return order != 0
                ? order
                : Arrays.compareUnsigned(one, oneOffset + same, oneOffset + oneLength, rest, offset, offset + length);
    }

    @Override
    public String toString() {
        return "leaf " + Long.toHexString(number) + " with " + keys.length + " entries";
    }
}
