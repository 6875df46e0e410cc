package io.georep.spi;

import io.georep.model.Slice;
import io.georep.model.StoreException;
import java.util.Arrays;
import java.util.List;

/**
 * An ordered key-value store of one node. Keys are ordered as unsigned bytes. Batches are atomic and take effect in
 * the order in which they are submitted. The store knows nothing about entries: each protocol lays out its own keys,
 * which begin with the byte of its channel.
 *
 * <p>A factory opens the store, or throws a {@link StoreException} if the directory is corrupt, foreign, newer or
 * locked. While the node boots, it reads with {@link #scanNow}. Then it calls {@link #start}, and from one thread
 * {@link #submit} and {@link #scan}. {@link #close} makes everything durable that was submitted.
 *
 * <p>After a crash, the store holds the effect of the first batches, up to some batch. These include every batch that
 * was reported as durable and that required durability. With level {@code FSYNC} this also holds after a power loss,
 * with {@code OS} after a crash of the process; {@code MEMORY} promises nothing. The level is that of the store's
 * settings, or the one that the batch {@linkplain StoreBatch#required() requires} if that is weaker.
 */
public interface EntryStore extends AutoCloseable {
    /**
     * One stored pair.
     *
     * @param key the key
     * @param value the value; never changed afterwards
     */
    record Pair(byte[] key, Slice value) {
        /** Returns the first key that can follow this one: where to go on if a limit has cut an answer short. */
        public byte[] keyAfter() {
            return Arrays.copyOf(key, key.length + 1);
        }
    }

    /**
     * Is told what became of the work. Called on any thread, but never after {@link #close} has returned. Must not
     * block.
     */
    interface Listener {
        /**
         * Called when all batches up to this one are applied and as durable as they required. Batches are numbered
         * from 1.
         */
        void durable(long batchNumber);

        /**
         * Called with the answer to a {@link #scan}: the pairs in key order, and {@code more} if a limit has cut it
         * short.
         */
        void scanned(long token, List<Pair> pairs, boolean more);

        /**
         * Called with true if there is no space: batches wait, and the store tries again. Called with false when
         * there is space again. The store repeats this at least every second while batches wait, because a store that
         * owes an answer and is silent counts as one that hangs.
         */
        void full(boolean full);

        /** Called when the store cannot go on. Nothing more will complete. */
        void failed(StoreException cause);
    }

    /**
     * Reads synchronously, only during the boot. Calls the visitor for every pair in [from, to) until it returns
     * false.
     */
    void scanNow(byte[] from, byte[] to, Visitor visitor);

    /** Takes pairs in the order of their keys. */
    interface Visitor {
        /** Returns whether to go on. */
        boolean pair(byte[] key, Slice value);
    }

    /** Starts the asynchronous work. Called once. */
    void start(Listener listener);

    /** Takes over a batch and returns at once. Batches are numbered 1, 2, 3 … in this order. */
    void submit(StoreBatch batch);

    /**
     * Reads pairs in [from, to) in key order, with the effect of all batches submitted before: at most {@code
     * pairsMax} pairs with about {@code bytesMax} bytes of values, but at least one pair. The result goes to {@link
     * Listener#scanned}.
     */
    void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax);

    /** Makes everything durable that was submitted, and releases the directory. Idempotent. */
    @Override
    void close();
}
