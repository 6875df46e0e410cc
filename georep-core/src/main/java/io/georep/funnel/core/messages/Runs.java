package io.georep.funnel.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Lists of writes, as ranges. Inside a view a write is named by a code and a number: code 0 and its place among the writes of older
 * views that this view began with, or one more than the rank of its head and its counter.
 *
 * <pre>
 * runs = varint count | (u8 code | varint from | varint length)*
 * ids  = varint count | (varint view | node head | varint from | varint length)*
 * </pre>
 */
public final class Runs {
    /** Most writes that one message may name. */
    static final int WRITES_MAX = 1 << 20;

    private static final int RUN_BYTES_MIN = 3;

    /** Part of a list. */
    public record Run(int code, long from, int length) {}

    private final List<Run> runs = new ArrayList<>();
    private int code = -1;
    private long from;
    private int length;

    public boolean isEmpty() {
        return length == 0 && runs.isEmpty();
    }

    public void add(int addedCode, long index, int count) {
        if (addedCode == code && index == from + length) {
            length += count;
            return;
        }
        close();
        code = addedCode;
        from = index;
        length = count;
    }

    private void close() {
        if (length > 0) {
            runs.add(new Run(code, from, length));
            length = 0;
        }
    }

    /** Appends the list, and begins a new one. */
    void writeAndClear(BinWriter out) {
        close();
        out.varint(runs.size());
        for (Run run : runs) {
            out.u8(run.code).varint(run.from).varint(run.length);
        }
        clear();
    }

    public void clear() {
        runs.clear();
        length = 0;
        code = -1;
    }

    static List<Run> read(BinReader in, int members) {
        int left = in.count(RUN_BYTES_MIN, "ranges");
        List<Run> read = new ArrayList<>(left);
        long writes = 0;
        for (; left > 0; left--) {
            int code = in.u8();
            if (code > members) {
                throw new MalformedException("code " + code + " of a write in a view of " + members + " members");
            }
            long from = FunnelBounds.COUNTER.read(in);
            int length = (int) in.varint(WRITES_MAX, "length of a range");
            writes += length;
            read.add(new Run(code, from, length));
        }
        return checked(read, writes);
    }

    private static <R> List<R> checked(List<R> read, long writes) {
        if (writes > WRITES_MAX) {
            throw new MalformedException("a list of " + writes + " writes, at most " + WRITES_MAX);
        }
        return read;
    }

    public static void writeIds(Collection<WriteId> ids, BinWriter out) {
        List<WriteId> firsts = new ArrayList<>();
        List<Integer> lengths = new ArrayList<>();
        WriteId last = null;
        for (WriteId id : ids) {
            boolean follows = last != null
                    && last.view() == id.view()
                    && last.head().equals(id.head())
                    && last.counter() + 1 == id.counter();
            if (follows) {
                lengths.set(lengths.size() - 1, lengths.get(lengths.size() - 1) + 1);
            } else {
                firsts.add(id);
                lengths.add(1);
            }
            last = id;
        }
        out.varint(firsts.size());
        for (int i = 0; i < firsts.size(); i++) {
            WriteId first = firsts.get(i);
            out.varint(first.view()).node(first.head()).varint(first.counter()).varint(lengths.get(i));
        }
    }

    public static List<WriteId> readIds(BinReader in) {
        List<WriteId> ids = new ArrayList<>();
        for (int left = in.count(RUN_BYTES_MIN + 1, "ranges"); left > 0; left--) {
            long view = FunnelBounds.VIEW.read(in);
            NodeId head = in.node();
            long counter = FunnelBounds.COUNTER.read(in);
            long length = in.varint(WRITES_MAX, "length of a range");
            checked(ids, ids.size() + length);
            for (long i = 0; i < length; i++) {
                ids.add(new WriteId(view, head, counter + i));
            }
        }
        return ids;
    }
}
