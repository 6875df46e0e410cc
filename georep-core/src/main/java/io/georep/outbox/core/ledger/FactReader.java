package io.georep.outbox.core.ledger;

import io.georep.codec.BinReader;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import org.jspecify.annotations.Nullable;

/** Takes the facts of one turn apart. */
public final class FactReader {
    /** Is told of each fact, in their order. */
    public interface Visitor {
        /** AGE, BOOT or RETIRED. */
        void ofStore(int code, long number);

        /** STREAM. */
        void opened(StreamId stream, String queue);

        /** FORGET. */
        void forgotten(StreamId stream);

        /** Any other. */
        void about(StreamId stream, Fact fact);
    }

    private FactReader() {}

    /**
     * Reads the facts of one turn.
     *
     * @throws MalformedException when they cannot be read
     */
    public static void read(Slice value, Visitor visitor) {
        BinReader in = new BinReader(value);
        StreamId stream = null;
        while (in.hasMore()) {
            stream = read(in, stream, visitor);
        }
    }

    private static @Nullable StreamId read(BinReader in, @Nullable StreamId last, Visitor visitor) {
        int code = in.u8();
        switch (code) {
            case Ledger.AGE, Ledger.RETIRED -> {
                visitor.ofStore(code, Bound.MILLIS.read(in));
                return last;
            }
            case Ledger.BOOT -> {
                visitor.ofStore(code, in.i64());
                return last;
            }
            case Ledger.STREAM -> {
                StreamId opened = in.stream();
                visitor.opened(opened, in.text());
                return opened;
            }
            default -> {
                return ofStream(code, in, last, visitor);
            }
        }
    }

    private static StreamId ofStream(int code, BinReader in, @Nullable StreamId last, Visitor visitor) {
        int kind = code & ~Ledger.SAME_STREAM;
        StreamId stream = kind == code ? in.stream() : last;
        if (stream == null) {
            throw new MalformedException("fact " + kind + " about no stream");
        }
        if (kind == Ledger.FORGET) {
            visitor.forgotten(stream);
        } else {
            visitor.about(stream, Fact.read(kind, in));
        }
        return stream;
    }
}
