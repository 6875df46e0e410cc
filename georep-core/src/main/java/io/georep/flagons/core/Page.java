package io.georep.flagons.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a group has of the keys that begin alike, in the order of their positions; the answer to a question of kind {@link
 * FleetOperation.Kind#LIST}. Positions are compared without a sign.
 *
 * @param entries keys that have a value
 * @param isLast whether it reaches to where the question does
 * @param next at which position to go on, if it does not
 * @param after behind which of the keys at this position to go on; empty before all of them. Many keys at one position may be made on
 *     purpose
 */
public record Page(List<Entry> entries, boolean isLast, long next, Slice after) {
    /** A key with its value, and the place of the operation that has written it. */
    public record Entry(Slice key, Slice value, OrderKey version) {
        int bytes() {
            return OVERHEAD + key.length() + value.length();
        }
    }

    /** Most bytes of a page. One entry always fits. */
    static final int BYTES_MAX = 16 * 1024;

    /** A page is cut short when so many keys were gone through, most of which begin otherwise. */
    static final int KEYS_MAX = 4_096;

    /** Of a page, and of an entry. */
    private static final int OVERHEAD = 24;

    /** The first and the last position in the key of a question. */
    static final int SPAN_BYTES = 2 * Long.BYTES;

    /** The longest key of a question: positions, the key behind which to go on with its length, and what the keys begin with. */
    static final int QUESTION_BYTES_MAX = SPAN_BYTES + 2 + 2 * FleetOperation.KEY_BYTES_MAX;

    /** Returns the key of a question. */
    public static Slice question(long from, Slice after, long last, Slice prefix) {
        return new BinWriter(SPAN_BYTES + 2 + after.length() + prefix.length())
                .i64(from)
                .i64(last)
                .bytes(after)
                .raw(prefix)
                .toSlice();
    }

    /**
     * Checks all of a question when it comes: who passed on one that the next node cannot read would be refused in place of its author.
     *
     * @throws MalformedException if it is none
     */
    static void check(Slice question) {
        if (question.length() < SPAN_BYTES) {
            throw new MalformedException("a question without a first and a last position");
        }
        BinReader in = new BinReader(question);
        in.raw(SPAN_BYTES);
        EventCodec.readBytes(in, FleetOperation.KEY_BYTES_MAX);
        if (in.remaining() > FleetOperation.KEY_BYTES_MAX) {
            throw new MalformedException("a question for keys that begin with " + in.remaining() + " bytes");
        }
    }

    static long from(Slice question) {
        return new BinReader(question).i64();
    }

    /** Returns whether a key begins with these bytes. */
    public static boolean begins(Slice key, Slice prefix) {
        return key.length() >= prefix.length()
                && Arrays.equals(
                        key.array(),
                        key.offset(),
                        key.offset() + prefix.length(),
                        prefix.array(),
                        prefix.offset(),
                        prefix.offset() + prefix.length());
    }

    /** Compares keys at one position. */
    static int compare(Slice a, Slice b) {
        return Arrays.compareUnsigned(
                a.array(), a.offset(), a.offset() + a.length(), b.array(), b.offset(), b.offset() + b.length());
    }

    /** Returns whether of two keys at one position the first one comes later. */
    public static boolean isBehind(Slice key, Slice other) {
        return compare(key, other) > 0;
    }

    /** Answers a question, as far as the operations up to a place are concerned, of the positions in a range. */
    static Page of(OperationStore store, Slice question, Range range, OrderKey at) {
        BinReader in = new BinReader(question);
        long from = in.i64();
        long asked = in.i64();
        Slice after = EventCodec.readBytes(in, FleetOperation.KEY_BYTES_MAX);
        Slice prefix = in.raw(in.remaining());
        boolean isWhole = Long.compareUnsigned(asked, range.last()) <= 0;
        Collector found = new Collector(store, isWhole ? asked : range.last(), prefix, at);
        store.inOrder(from, after, found::add);
        return found.isCut
                ? new Page(found.entries, false, found.next, found.behind)
                : new Page(found.entries, isWhole, range.last() + 1, Slice.EMPTY);
    }

    private static final class Collector {
        private final OperationStore store;
        private final long last;
        private final Slice prefix;
        private final OrderKey at;
        private final List<Entry> entries = new ArrayList<>();
        // With room for the key behind which the next page begins.
        private int bytes = OVERHEAD + 2 + FleetOperation.KEY_BYTES_MAX;
        private int keys;
        private long reached;
        private Slice reachedKey = Slice.EMPTY;
        private long next;
        private Slice behind = Slice.EMPTY;
        private boolean isCut;

        Collector(OperationStore store, long last, Slice prefix, OrderKey at) {
            this.store = store;
            this.last = last;
            this.prefix = prefix;
            this.at = at;
        }

        /** Returns whether it goes on. */
        boolean add(Slice key, long position) {
            if (Long.compareUnsigned(position, last) > 0) {
                return false;
            }
            KeyHistory.State state = begins(key, prefix) ? store.look(key, at) : KeyHistory.State.EMPTY;
            Slice value = state.value();
            Entry entry = value == null ? null : new Entry(key, value, state.version());
            if (++keys > KEYS_MAX || (entry != null && bytes + entry.bytes() > BYTES_MAX)) {
                next = position;
                behind = keys > 1 && position == reached ? reachedKey : Slice.EMPTY;
                isCut = true;
                return false;
            }
            if (entry != null) {
                entries.add(entry);
                bytes += entry.bytes();
            }
            reached = position;
            reachedKey = key;
            return true;
        }
    }

    Slice write() {
        BinWriter out = new BinWriter(1024);
        out.u8(isLast ? 1 : 0).i64(next).bytes(after).varint(entries.size());
        for (Entry entry : entries) {
            out.bytes(entry.key).bytes(entry.value);
            EventCodec.place(out, entry.version);
        }
        return out.toSlice();
    }

    /** Reads a page. */
    public static Page read(Slice bytes) {
        BinReader in = new BinReader(bytes);
        boolean isLast = in.u8() == 1;
        long next = in.i64();
        Slice after = EventCodec.readBytes(in, FleetOperation.KEY_BYTES_MAX);
        int count = in.count(2 + SPAN_BYTES, "entries");
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(new Entry(
                    EventCodec.readBytes(in, FleetOperation.KEY_BYTES_MAX),
                    EventCodec.readBytes(in, FleetOperation.VALUE_BYTES_MAX),
                    EventCodec.readPlace(in)));
        }
        in.requireEnd("a page");
        return new Page(entries, isLast, next, after);
    }
}
