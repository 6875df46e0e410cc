package io.georep.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * A read-only view of a part of a byte array. The bytes are shared, not copied. The code that hands out a slice must not change
 * the bytes afterwards.
 *
 * @param array the bytes
 * @param offset first byte
 * @param length number of bytes
 */
public record Slice(byte[] array, int offset, int length) {
    /** No bytes. */
    public static final Slice EMPTY = new Slice(new byte[0], 0, 0);

    public Slice {
        Objects.checkFromIndexSize(offset, length, array.length);
    }

    /** Returns a view of the whole array. */
    public static Slice of(byte[] array) {
        return new Slice(array, 0, array.length);
    }

    /** Returns the UTF-8 bytes of a text. */
    public static Slice utf8(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a copy of the bytes. */
    public byte[] toArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Slice slice
                && Arrays.equals(
                        array, offset, offset + length, slice.array, slice.offset, slice.offset + slice.length);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = offset; i < offset + length; i++) {
            hash = 31 * hash + array[i];
        }
        return hash;
    }

    @Override
    public String toString() {
        return "Slice[" + length + " bytes]";
    }
}
