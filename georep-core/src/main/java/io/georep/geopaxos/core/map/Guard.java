package io.georep.geopaxos.core.map;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/**
 * What must be so for a write to take place.
 *
 * @param kind one of the constants
 * @param expected the present value; empty except for {@link #EQUAL}
 */
public record Guard(int kind, Slice expected) {
    private static final int ALWAYS = 0;
    private static final int MISSING = 1;

    /** The kind of a guard with a value. */
    public static final int EQUAL = 2;

    /** Whatever is there. */
    public static final Guard NONE = new Guard(ALWAYS, Slice.EMPTY);

    /** Only if the key is not there. */
    public static final Guard ABSENT = new Guard(MISSING, Slice.EMPTY);

    /** Refuses other kinds. */
    public Guard {
        if (kind < ALWAYS || kind > EQUAL || (kind != EQUAL && expected.length() > 0)) {
            throw new IllegalArgumentException("a guard of kind " + kind);
        }
    }

    /** Only if this is the present value. */
    public static Guard equalTo(Slice value) {
        return new Guard(EQUAL, value);
    }

    boolean allows(@Nullable Slice present) {
        return switch (kind) {
            case MISSING -> present == null;
            case EQUAL -> expected.equals(present);
            default -> true;
        };
    }

    void write(BinWriter out) {
        out.u8(kind);
        if (kind == EQUAL) {
            out.bytes(expected);
        }
    }

    static Guard read(BinReader in) {
        int kind = in.u8();
        return new Guard(kind, kind == EQUAL ? in.bytes() : Slice.EMPTY);
    }
}
