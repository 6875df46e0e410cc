package io.georep.keys;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A named space of records, ordered by their keys, which are compared as unsigned bytes. Thread-safe. The calls of one thread
 * take effect in the order in which it makes them.
 *
 * <p>A stage fails with
 * <ul>
 *   <li>{@link io.georep.model.RejectedException} if nothing was written. Its reason says why: too few nodes are in reach, the
 *       store or the key spaces have no room, or the node is leaving. For a read: what this node has is not durable, and its
 *       store has taken nothing for {@link KeySpaceSettings#writeTimeout()}.
 *   <li>{@link io.georep.model.IndeterminateException} if the write is on this node, but in that time f other nodes did not confirm
 *       it, or it did not become durable here. This node passes it on nevertheless.
 *   <li>{@link io.georep.model.ClosedException} if the node is stopped or stopping.
 * </ul>
 *
 * <p>A change whose key, value or batch is larger than allowed is refused at once, with an {@link IllegalArgumentException}.
 */
public interface KeySpace {
    /** The longest name of a space, in bytes of UTF-8. */
    int NAME_BYTES_MAX = 64;

    /** The longest key, in bytes. The shortest has one byte. */
    int KEY_BYTES_MAX = 1024;

    /** The longest value, in bytes. */
    int VALUE_BYTES_MAX = 64 * 1024;

    /** The most changes in a batch. */
    int BATCH_CHANGES_MAX = 1000;

    /** The most bytes that the keys and values of a batch have together. */
    int BATCH_BYTES_MAX = 256 * 1024;

    /** The most records in the answer to a scan. */
    int PAGE_RECORDS_MAX = 1000;

    /** The largest f of a replicated space. */
    int F_MAX = 7;

    /** Returns the name of the space. */
    String name();

    /**
     * Sets a key. The stage completes when this is durable: on this node and, if the space is replicated, on f others.
     */
    default CompletionStage<Void> put(byte[] key, byte[] value) {
        return write(new KeyBatch().put(key, value));
    }

    /** Sets a key that is text, as {@link #put(byte[], byte[])} does. */
    default CompletionStage<Void> put(String key, byte[] value) {
        return put(utf8(key), value);
    }

    /**
     * Removes a key. The stage completes like that of {@link #put(byte[], byte[])}. If neither this node nor the f others that
     * confirm it have the key, nothing is changed. In a replicated space a removed key counts as a record until {@link
     * KeySpaceSettings#deletionsKept()} is over.
     */
    default CompletionStage<Void> delete(byte[] key) {
        return write(new KeyBatch().delete(key));
    }

    /** Removes a key that is text, as {@link #delete(byte[])} does. */
    default CompletionStage<Void> delete(String key) {
        return delete(utf8(key));
    }

    /**
     * Makes all changes that the batch has now. Whatever fails, this node, and each of the
     * f nodes that confirm the batch, has either all of its changes or none. Other nodes may get them one by one. The stage
     * completes like that of {@link #put(byte[], byte[])}.
     */
    CompletionStage<Void> write(KeyBatch batch);

    /**
     * Reads the value that this node has for a key, and only if it is durable here. The result is null if there is none. In a
     * replicated space, it may be older than the latest write on another node. It is never older than what was read on this
     * node before, unless this node has lost its store.
     */
    CompletionStage<byte @Nullable []> get(byte[] key);

    /** Reads the value of a key that is text, as {@link #get(byte[])} does. */
    default CompletionStage<byte @Nullable []> get(String key) {
        return get(utf8(key));
    }

    /**
     * Reads records in the order of their keys, under the same conditions as {@link #get(byte[])}.
     *
     * @param from the first key; empty for the beginning of the space
     * @param to the first key that is not wanted; null for the end of the space
     * @param max how many records at most; more than {@link #PAGE_RECORDS_MAX} are never returned
     * @throws IllegalArgumentException if {@code max} is less than 1
     */
    CompletionStage<Page> scan(byte[] from, byte @Nullable [] to, int max);

    /**
     * A record.
     *
     * @param key its key
     * @param value its value
     */
    record Entry(byte[] key, byte[] value) {
        /** Returns the key as text, read as UTF-8. */
        public String text() {
            return new String(key, StandardCharsets.UTF_8);
        }
    }

    /**
     * The answer to a scan.
     *
     * @param entries the records in the order of their keys; may be empty although {@code next} is given, behind thousands of
     *     deleted keys
     * @param next the {@code from} of the next scan; null if nothing is left
     */
    record Page(List<Entry> entries, byte @Nullable [] next) {}

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
