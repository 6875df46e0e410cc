package io.georep.geopaxos.core.map;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;

/**
 * A key with its value.
 *
 * @param key at most {@link MapOperation#MAX_KEY} bytes
 * @param value at most {@link MapOperation#MAX_VALUE} bytes
 * @param expiresAt what the {@link MapClock} shows when an {@link MapOperation.Expire} removes it; 0 for never
 */
public record MapEntry(Slice key, Slice value, long expiresAt) {
    /** Checks the bounds. */
    public MapEntry {
        MapOperation.checkKey(key, MapOperation.MAX_KEY);
        if (value.length() > MapOperation.MAX_VALUE) {
            throw new IllegalArgumentException("a value of " + value.length() + " bytes");
        }
        if (expiresAt < 0) {
            throw new IllegalArgumentException("expires at " + expiresAt);
        }
    }

    /** The same bytes in arrays of their own: what is kept must not keep the message that it came in. */
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
