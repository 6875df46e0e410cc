package io.georep.keys.core;

import org.jspecify.annotations.Nullable;

/** A replicated key with its latest value, or with the mark that it was deleted. Only {@link KeyTable} changes it. */
final class StoredKey {
    final String space;
    final byte[] key;
    final long keyHash;
    KeyVersion version;

    /** Null if the key was deleted. */
    byte @Nullable [] value;

    /** Whether it was read when the node was started, and neither written nor heard of since. */
    boolean isOld;

    /** Whether it is no longer in the table. */
    boolean isGone;

    /** The group of writes of this node that set it last and still waits for other nodes; null if there is none. */
    @Nullable
    WriteGroup writer;

    /** The next key of the same leaf of the tree. */
    @Nullable
    StoredKey next;

    StoredKey(String space, byte[] key, long keyHash, KeyVersion version) {
        this.space = space;
        this.key = key;
        this.keyHash = keyHash;
        this.version = version;
    }

    boolean isDeleted() {
        return value == null;
    }

    int leaf() {
        return HashTree.leafOf(keyHash);
    }

    long hash() {
        return KeyHash.ofRecord(keyHash, version);
    }

    /** Returns the bytes of key and value. */
    int bytes() {
        byte[] bytes = value;
        return key.length + (bytes == null ? 0 : bytes.length);
    }
}
