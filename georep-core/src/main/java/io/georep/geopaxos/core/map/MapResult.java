package io.georep.geopaxos.core.map;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an operation has led to. */
public sealed interface MapResult {
    /** A value that was read; null if there is none. */
    record Value(@Nullable Slice value) implements MapResult {}

    /**
     * A write.
     *
     * @param applied whether anything was written or removed
     * @param present the value that the guard did not allow; null if none or if it allowed
     */
    record Written(boolean applied, @Nullable Slice present) implements MapResult {}

    /**
     * A part of a range.
     *
     * @param more whether the page was full, so that more may follow
     */
    record Page(List<MapEntry> entries, boolean more) implements MapResult {
        public Page {
            entries = List.copyOf(entries);
        }
    }

    /** How many entries were counted, removed, or how many leaves were made or joined. */
    record Counted(long count) implements MapResult {}

    /** The result of a {@link Procedure}. */
    record Returned(Slice result) implements MapResult {}

    /** The operation had no effect. */
    record Failed(String reason) implements MapResult {}

    /** Returns the bytes of a result. */
    static Slice encode(MapResult result) {
        BinWriter out = new BinWriter(32);
        if (result instanceof Value value) {
            writeValue(out.u8(1), value.value);
        } else if (result instanceof Written written) {
            writeValue(out.u8(2).u8(written.applied ? 1 : 0), written.present);
        } else if (result instanceof Page page) {
            out.u8(3).u8(page.more ? 1 : 0).varint(page.entries.size());
            page.entries.forEach(entry -> entry.write(out));
        } else if (result instanceof Counted counted) {
            out.u8(4).varint(counted.count);
        } else if (result instanceof Returned returned) {
            out.u8(5).bytes(returned.result);
        } else if (result instanceof Failed failed) {
            out.u8(6).text(failed.reason);
        }
        return out.toSlice();
    }

    /** Reads the bytes of a result. */
    static MapResult decode(Slice bytes) {
        BinReader in = new BinReader(bytes);
        int kind = in.u8();
        return switch (kind) {
            case 1 -> new Value(readValue(in));
            case 2 -> new Written(in.u8() == 1, readValue(in));
            case 3 -> readPage(in);
            case 4 -> new Counted(in.varint());
            case 5 -> new Returned(in.bytes());
            case 6 -> new Failed(in.text());
            default -> throw new MalformedException("a result of kind " + kind);
        };
    }

    private static Page readPage(BinReader in) {
        boolean more = in.u8() == 1;
        List<MapEntry> entries = new ArrayList<>();
        for (int left = in.count(3, "entries"); left > 0; left--) {
            entries.add(MapEntry.read(in));
        }
        return new Page(entries, more);
    }

    private static void writeValue(BinWriter out, @Nullable Slice value) {
        out.u8(value == null ? 0 : 1);
        if (value != null) {
            out.bytes(value);
        }
    }

    private static @Nullable Slice readValue(BinReader in) {
        return in.u8() == 0 ? null : in.bytes();
    }
}
