package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.spi.StoreBatch;
import java.util.function.Function;

/** The outbox in words, with names for streams that do not change from run to run. */
public final class OutboxWords {
    private final OutboxText text;

    public OutboxWords(Function<StreamId, String> names) {
        text = new OutboxText(names);
    }

    /** A message. */
    public String message(int type, Slice body) {
        return text.message(type, new BinReader(body));
    }

    /** A command or an event. */
    public String of(Object what) {
        return text.of(what);
    }

    /** A change of the store. */
    public String change(StoreBatch.Op op) {
        if (op.kind() == StoreBatch.Kind.PUT) {
            return text.stored(op.key(), op.value());
        }
        String what = switch (op.key()[1]) {
            case 'G' -> "group";
            case 'D' -> "dead letter";
            case 'A' -> "attempts";
            case 'F' -> "facts";
            default -> "snapshot";
        };
        return "delete " + what;
    }
}
