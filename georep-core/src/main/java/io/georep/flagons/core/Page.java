package io.georep.flagons.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a group has of the keys that begin alike, in the order of their positions; the answer to a question of kind {@link
 * Operation.Kind#LIST}. Positions are compared without a sign.
 *
 * @param entries keys that have a value
 * @param isLast whether it reaches to where the question does
 * @param next where to go on, if it does not
 */
public record Page(List<Entry> entries, boolean isLast, long next) {
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

    /** The first and the last position in the key of a question, before what the keys begin with. */
    static final int SPAN_BYTES = 2 * Long.BYTES;

    /** Returns the key of a question. */
    public static Slice question(long from, long last, Slice prefix) {
        return new BinWriter(SPAN_BYTES + prefix.length())
                .i64(from)
                .i64(last)
                .raw(prefix)
                .toSlice();
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

    /** Answers a question, as far as the operations up to a place are concerned, of the positions in a range. */
    static Page of(OperationStore store, Slice question, Range range, OrderKey at) {
        BinReader in = new BinReader(question);
        long from = in.i64();
        long asked = in.i64();
        Slice prefix = in.raw(in.remaining());
        boolean isWhole = Long.compareUnsigned(asked, range.last()) <= 0;
        Collector found = new Collector(store, isWhole ? asked : range.last(), prefix, at);
        store.inOrder(from, found::add);
        return found.isCut
                ? new Page(found.entries, false, found.next)
                : new Page(found.entries, isWhole, range.last() + 1);
    }

    private static final class Collector {
        private final OperationStore store;
        private final long last;
        private final Slice prefix;
        private final OrderKey at;
        private final List<Entry> entries = new ArrayList<>();
        private int bytes = OVERHEAD;
        private int keys;
        private long reached;
        private long next;
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
                // Keys at the same position, of which there may be some made on purpose, must not make it begin there
                // again for ever.
                next = keys > 1 && position == reached ? position + 1 : position;
                isCut = true;
                return false;
            }
            if (entry != null) {
                entries.add(entry);
                bytes += entry.bytes();
            }
            reached = position;
            return true;
        }
    }

    Slice write() {
        BinWriter out = new BinWriter(1024);
        out.u8(isLast ? 1 : 0).i64(next).varint(entries.size());
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
        int count = in.count(2 + SPAN_BYTES, "entries");
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(new Entry(
                    EventCodec.readBytes(in, Operation.KEY_BYTES_MAX),
                    EventCodec.readBytes(in, Operation.VALUE_BYTES_MAX),
                    EventCodec.readPlace(in)));
        }
        in.requireEnd("a page");
        return new Page(entries, isLast, next);
    }
}
