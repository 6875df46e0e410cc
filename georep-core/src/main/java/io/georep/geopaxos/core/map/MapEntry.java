package io.georep.geopaxos.core.map;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;

/**
 * A key with its value.
 *
 * @param key at most {@link MapOperation#KEY_BYTES_MAX} bytes
 * @param value at most {@link MapOperation#VALUE_BYTES_MAX} bytes
 * @param expiresAt what the {@link MapClock} shows when an {@link MapOperation.Expire} removes it; 0 for never
 */
public record MapEntry(Slice key, Slice value, long expiresAt) {
    /** Checks the bounds. */
    public MapEntry {
        MapOperation.checkKey(key, MapOperation.KEY_BYTES_MAX);
        if (value.length() > MapOperation.VALUE_BYTES_MAX) {
            throw new IllegalArgumentException("a value of " + value.length() + " bytes");
        }
        if (expiresAt < 0) {
            throw new IllegalArgumentException("expires at " + expiresAt);
        }
    }

    /** Returns the same bytes in arrays of their own: what is kept must not keep the message that it came in. */
    MapEntry copy() {
        return new MapEntry(Slice.of(key.toArray()), Slice.of(value.toArray()), expiresAt);
    }

    MapEntry until(long end) {
        return new MapEntry(key, value, end);
    }

    int size() {
        return key.length() + value.length() + Long.BYTES;
    }

    void write(BinWriter out) {
        out.bytes(key).bytes(value).varint(expiresAt);
    }

    static MapEntry read(BinReader in) {
        try {
            return new MapEntry(in.bytes(), in.bytes(), in.varint());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(String.valueOf(e.getMessage()));
        }
    }
}
