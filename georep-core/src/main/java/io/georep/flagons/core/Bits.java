package io.georep.flagons.core;

import io.georep.codec.Fnv;
import io.georep.model.Slice;

/** Hashes that every node computes alike. */
final class Bits {
    private Bits() {}

    /** Returns a permutation of a number in which each bit depends on all bits of it. */
    static long mix(long bits) {
        long mixed = (bits ^ (bits >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    /** Returns the position of a key on the circle of positions. */
    static long position(Slice key) {
        return mix(Fnv.hash(key));
    }
}
