package io.georep.keys;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A named space of records, ordered by the unsigned bytes of their keys. Thread-safe; calls of one thread take effect in
 * their order.
 *
 * <p>Stages complete exceptionally with
 * <ul>
 *   <li>{@link io.georep.model.RejectedException}: nothing was written, the reason says why (too few nodes in reach, a
 *       bound of the store or of the key spaces, the node is leaving);
 *   <li>{@link io.georep.model.IndeterminateException}: the write is on this node, and f others did not confirm it in time;
 *       it is passed on all the same;
 *   <li>{@link io.georep.model.ClosedException}: the node is stopped or stopping;
 *   <li>{@link IllegalArgumentException}: a key, a value or a batch is larger than allowed.
 * </ul>
 */
public interface KeySpace {
    /** Longest name in bytes of UTF-8. */
    int NAME_BYTES_MAX = 64;

    /** Longest key in bytes; the shortest has one. */
    int KEY_BYTES_MAX = 1024;

    /** Longest value in bytes. */
    int VALUE_BYTES_MAX = 64 * 1024;

    /** Most changes in a batch. */
    int BATCH_CHANGES_MAX = 1000;

    /** Most bytes of keys and values in a batch. */
    int BATCH_BYTES_MAX = 256 * 1024;

    /** Most records in the answer to a scan. */
    int PAGE_RECORDS_MAX = 1000;

    /** Largest f of a replicated space. */
    int F_MAX = 7;

    /** Returns the name of the space. */
    String name();

    /** Sets a key; completes when that is durable, on f other nodes as well if the space is replicated. */
    default CompletionStage<Void> put(byte[] key, byte[] value) {
        return write(new KeyBatch().put(key, value));
    }

    /** Sets a key that is text. */
    default CompletionStage<Void> put(String key, byte[] value) {
        return put(utf8(key), value);
    }

    /** Removes a key, which need not exist; completes as a put does. */
    default CompletionStage<Void> delete(byte[] key) {
        return write(new KeyBatch().delete(key));
    }

    /** Removes a key that is text. */
    default CompletionStage<Void> delete(String key) {
        return delete(utf8(key));
    }

    /**
     * Makes all changes of a batch, which must not be changed afterwards. On this node, and on the f nodes that confirm it,
     * all of them are there or none, whatever fails; further nodes get them one by one.
     */
    CompletionStage<Void> write(KeyBatch batch);

    /**
     * Returns the value of a key as this node knows it, null when there is none. Only what is durable on this node is
     * returned; of a replicated space that may be older than the last write on another node, but never older than what was
     * read here before, unless the store of this node was lost.
     */
    CompletionStage<byte @Nullable []> get(byte[] key);

    /** Returns the value of a key that is text. */
    default CompletionStage<byte @Nullable []> get(String key) {
        return get(utf8(key));
    }

    /**
     * Returns records in the order of their keys, under the same conditions as {@link #get}.
     *
     * @param from first key; empty for the beginning of the space
     * @param to first key that is not wanted; null for the end of the space
     * @param max most records, up to {@link #PAGE_RECORDS_MAX}
     */
    CompletionStage<Page> scan(byte[] from, byte @Nullable [] to, int max);

    /** A key and its value. */
    record Entry(byte[] key, byte[] value) {
        /** Returns the key as text. */
        public String text() {
            return new String(key, StandardCharsets.UTF_8);
        }
    }

    /**
     * Answer to a scan.
     *
     * @param entries the records in the order of their keys
     * @param next where to go on, null when nothing is left
     */
    record Page(List<Entry> entries, byte @Nullable [] next) {}

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
