package io.georep.keys.core;

import org.jspecify.annotations.Nullable;

/** A replicated key and what is known of it: its latest value, or that it was deleted. Changed by {@link KeyTable} only. */
final class StoredKey {
    final String space;
    final byte[] key;
    final long keyHash;
    KeyVersion version;

    /** Null when it was deleted. */
    byte @Nullable [] value;

    /** Read when the node was started, and not heard of since. */
    boolean isOld;

    /** No longer in the table. */
    boolean isGone;

    /** The writes of this node that set it last and wait for others; null when none do. */
    @Nullable
    WriteGroup writer;

    /** The next one of the same leaf of the tree. */
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

    /** Bytes of key and value. */
    int bytes() {
        byte[] bytes = value;
        return key.length + (bytes == null ? 0 : bytes.length);
    }
}
