package io.georep.keys.core;

import io.georep.codec.Fnv;
import io.georep.codec.SplitMix;
import io.georep.model.Slice;

/** The hashes that nodes compare in place of records. They are part of the wire format. */
final class KeyHash {
    /** Separates the name of a space from a key. */
    private static final Slice ZERO = Slice.of(new byte[1]);

    private KeyHash() {}

    /** Returns the hash of a key in a space. */
    static long ofKey(String space, byte[] key) {
        return mixed(Fnv.hash(Fnv.hash(Fnv.hash(Slice.utf8(space)), ZERO), Slice.of(key)));
    }

    /** Returns the hash of one version of a key. */
    static long ofRecord(long keyHash, KeyVersion version) {
        return mixed(keyHash
                ^ mixed(version.epoch()
                        ^ mixed(version.boot() ^ ofName(version.node().value()))));
    }

    /** Returns the hash of a name. */
    static long ofName(String name) {
        return mixed(Fnv.hash(Slice.utf8(name)));
    }

    private static long mixed(long value) {
        return SplitMix.mixed(value + SplitMix.GOLDEN);
    }
}
