package io.georep.keys.core;

import java.nio.charset.StandardCharsets;

/** The hashes that nodes compare in place of records. They are part of the wire format. */
final class KeyHash {
    private static final long FNV_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private KeyHash() {}

    /** Returns the hash of a key in a space. */
    static long ofKey(String space, byte[] key) {
        long hash = bytes(FNV_BASIS, space.getBytes(StandardCharsets.UTF_8));
        return mixed(bytes(hash * FNV_PRIME, key));
    }

    /** Returns the hash of one version of a key. */
    static long ofRecord(long keyHash, KeyVersion version) {
        return mixed(keyHash
                ^ mixed(version.epoch()
                        ^ mixed(version.boot() ^ ofName(version.node().value()))));
    }

    /** Returns the hash of a name. */
    static long ofName(String name) {
        return mixed(bytes(FNV_BASIS, name.getBytes(StandardCharsets.UTF_8)));
    }

    private static long bytes(long start, byte[] bytes) {
        long hash = start;
        for (byte next : bytes) {
            hash = (hash ^ (next & 0xff)) * FNV_PRIME;
        }
        return hash;
    }

    /** The finalizer of SplitMix64: every bit of the input changes half of the output. */
    private static long mixed(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
