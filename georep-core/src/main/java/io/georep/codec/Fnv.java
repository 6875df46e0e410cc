package io.georep.codec;

import io.georep.model.Slice;

/** The hash FNV-1a of 64 bits. Its values travel and are stored. */
public final class Fnv {
    private static final long BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private Fnv() {}

    /** Returns the hash of some bytes. */
    public static long hash(Slice bytes) {
        return hash(BASIS, bytes);
    }

    /** Returns the hash of some bytes. */
    public static long hash(byte[] bytes) {
        return hash(BASIS, bytes);
    }

    /** Returns the hash of the bytes that a hash is of, followed by some more. */
    public static long hash(long before, Slice more) {
        return hash(before, more.array(), more.offset(), more.length());
    }

    /** Returns the hash of the bytes that a hash is of, followed by some more. */
    public static long hash(long before, byte[] more) {
        return hash(before, more, 0, more.length);
    }

    private static long hash(long before, byte[] more, int offset, int length) {
        long hash = before;
        for (int i = offset; i < offset + length; i++) {
            hash = (hash ^ (more[i] & 0xff)) * PRIME;
        }
        return hash;
    }
}
