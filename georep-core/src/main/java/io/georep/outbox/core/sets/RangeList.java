package io.georep.outbox.core.sets;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import java.util.Arrays;

/**
 * Disjoint ascending half-open ranges of sequence numbers: what messages and facts carry instead of lists of ids.
 *
 * <p>Encoding: varint count, then per range varint gap to the end of the one before and varint length.
 */
public final class RangeList {
    private long[] bounds;
    private int size;

    public RangeList() {
        bounds = new long[4];
    }

    /** One range. */
    public static RangeList of(long from, long to) {
        RangeList ranges = new RangeList();
        ranges.add(from, to);
        return ranges;
    }

    /** Appends a range that starts at or behind the end of the last one; touching ranges become one. */
    public void add(long from, long to) {
        if (from < 0 || from >= to || (size > 0 && from < bounds[size - 1])) {
            throw new IllegalArgumentException("range " + from + ".." + to + " after " + this);
        }
        if (size > 0 && bounds[size - 1] == from) {
            bounds[size - 1] = to;
            return;
        }
        if (size == bounds.length) {
            bounds = Arrays.copyOf(bounds, size * 2);
        }
        bounds[size++] = from;
        bounds[size++] = to;
    }

    /** Returns the number of ranges. */
    public int count() {
        return size / 2;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Returns the first number of range i. */
    public long from(int i) {
        return bounds[2 * i];
    }

    /** Returns the number behind the last of range i. */
    public long to(int i) {
        return bounds[2 * i + 1];
    }

    /** Ranges number {@code from} to {@code to} (exclusive). */
    public RangeList slice(int from, int to) {
        RangeList part = new RangeList();
        part.bounds = Arrays.copyOfRange(bounds, 2 * from, Math.max(2 * to, 2 * from + 2));
        part.size = 2 * (to - from);
        return part;
    }

    /** These ranges without those of another list. */
    public RangeList without(RangeList other) {
        SequenceCursor rest = new SequenceCursor();
        int k = 0;
        for (int i = 0; i < count(); i++) {
            long at = from(i);
            while (k < other.count() && other.to(k) <= at) {
                k++;
            }
            for (int m = k; m < other.count() && other.from(m) < to(i); m++) {
                rest.addIf(at, Math.min(to(i), other.from(m)));
                at = Math.max(at, other.to(m));
            }
            rest.addIf(at, to(i));
        }
        return rest.ranges;
    }

    /** Collects ranges, leaving out empty ones. */
    private static final class SequenceCursor {
        final RangeList ranges = new RangeList();

        void addIf(long from, long to) {
            if (from < to) {
                ranges.add(from, to);
            }
        }
    }

    /** Returns the number of sequence numbers in all ranges. */
    public long total() {
        long total = 0;
        for (int i = 0; i < count(); i++) {
            total += to(i) - from(i);
        }
        return total;
    }

    public void write(BinWriter out) {
        out.varint(count());
        long last = 0;
        for (int i = 0; i < count(); i++) {
            out.varint(from(i) - last).varint(to(i) - from(i));
            last = to(i);
        }
    }

    public static RangeList read(BinReader in) {
        return read(in, in.count(2, "range count"));
    }

    /** Reads those of a message: what each of them costs here is more than what it brings, so their number is bounded. */
    public static RangeList readMessage(BinReader in) {
        int count = in.count(2, "range count");
        if (count > OutboxBounds.RANGES_MAX) {
            throw new MalformedException(count + " ranges in one message, at most " + OutboxBounds.RANGES_MAX);
        }
        return read(in, count);
    }

    private static RangeList read(BinReader in, int count) {
        RangeList ranges = new RangeList();
        ranges.bounds = new long[Math.max(2, 2 * count)];
        long last = 0;
        for (int i = 0; i < count; i++) {
            long from = last + in.varint(OutboxBounds.SEQUENCE.max() - last, "range gap");
            long to = from + in.varint(OutboxBounds.SEQUENCE.max() + 1 - from, "range length");
            if (to == from) {
                throw new MalformedException("empty range at " + from);
            }
            ranges.add(from, to);
            last = to;
        }
        return ranges;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < count(); i++) {
            text.append(i == 0 ? "" : " ").append(from(i)).append("..").append(to(i));
        }
        return text.append(']').toString();
    }
}
