package io.georep.keys.core;

import org.jspecify.annotations.Nullable;

/** A replicated key with its latest value, or with the mark that it was deleted. Only {@link KeyTable} changes it. */
final class StoredKey {
    static final long NANOS_PER_MILLI = 1_000_000;

    final String space;
    final byte[] key;
    final long keyHash;
    KeyVersion version;

    /** Null if the key was deleted. */
    byte @Nullable [] value;

    /** If the key was deleted: when the mark is dropped, on the monotonic clock. */
    long endsAt = Long.MIN_VALUE;

    /** The group of writes of this node that set it last and still waits for other nodes; null if there is none. */
    @Nullable
    ReplicatedGroup writer;

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

    /** Returns for how many milliseconds the mark is kept, if the key was deleted. */
    long leftMillis(long now) {
        return endsAt <= now ? 0 : (endsAt - now) / NANOS_PER_MILLI;
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
