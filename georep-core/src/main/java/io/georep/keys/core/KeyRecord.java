package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.keys.KeySpace;
import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/**
 * A replicated record on its way to another node.
 *
 * <pre>
 * record = text space | bytes key | version | u8 0 deleted and varint milliseconds, or u8 1 and bytes value
 * </pre>
 *
 * @param value null if the key was deleted
 * @param leftMillis for how long the mark is kept, if the key was deleted
 */
record KeyRecord(String space, byte[] key, KeyVersion version, byte @Nullable [] value, long leftMillis) {
    /** How many bytes a record takes besides its key and its value, roughly. */
    static final int OVERHEAD_BYTES = 96;

    /** The fewest bytes a record takes. */
    private static final int BYTES_MIN = 16;

    /** Returns whether it asks for the deletion of a key that the writer does not have ({@link KeyTable#absent}). */
    boolean isOfAbsent() {
        return version.epoch() == 0;
    }

    static void write(StoredKey record, long now, BinWriter out) {
        out.text(record.space).bytes(Slice.of(record.key));
        KeyLayout.write(record.version, out);
        byte[] value = record.value;
        out.u8(value == null ? 0 : 1);
        if (value == null) {
            out.varint(record.leftMillis(now));
        } else {
            out.bytes(Slice.of(value));
        }
    }

    static KeyRecord read(BinReader in) {
        String space = KeyLayout.space(in);
        Slice key = in.bytes();
        if (key.length() == 0 || key.length() > KeySpace.KEY_BYTES_MAX) {
            throw new MalformedException("a key takes " + key.length() + " bytes, at most " + KeySpace.KEY_BYTES_MAX);
        }
        KeyVersion version = KeyLayout.version(in);
        if (!KeyLayout.isPresent(in)) {
            return new KeyRecord(space, key.toArray(), version, null, Bound.MILLIS.read(in));
        }
        Slice value = in.bytes();
        if (value.length() > KeySpace.VALUE_BYTES_MAX) {
            throw new MalformedException(
                    "a value takes " + value.length() + " bytes, at most " + KeySpace.VALUE_BYTES_MAX);
        }
        // Copies, or a small record would keep its whole frame in memory.
        return new KeyRecord(space, key.toArray(), version, value.toArray(), 0);
    }

    /** Returns how many records there can be at most in what is left to read. */
    static int count(BinReader in) {
        return in.count(BYTES_MIN, "records");
    }
}
