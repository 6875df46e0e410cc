package io.georep.spi;

import io.georep.model.Slice;
import io.georep.model.StoreException;
import java.util.Arrays;
import java.util.List;

/**
 * Ordered key-value store of one node: unsigned lexicographic key order, atomic batches applied in the order they were
 * submitted. It knows nothing about entries; the protocols lay out their own key space, each below its channel byte.
 *
 * <p>Life: opened by its factory (which refuses a corrupt, foreign, newer or locked directory with a
 * {@link StoreException}); read with {@link #scanNow} while the node boots; then {@link #start} and, from one thread,
 * {@link #submit} and {@link #scan}; at the end {@link #close}, which makes everything submitted durable first.
 *
 * <p>After a crash at any byte the store holds the effect of a prefix of the submitted batches that includes every
 * batch whose completion was called and that required durability (level {@code FSYNC}: also after power loss; level
 * {@code OS}: after a process crash; level {@code MEMORY}: no promise). The level is that the store is configured with, or
 * what the batch {@linkplain StoreBatch#required() requires} where that is weaker.
 */
public interface EntryStore extends AutoCloseable {
    /**
     * One stored pair.
     *
     * @param key the key
     * @param value the value; never changed afterwards
     */
    record Pair(byte[] key, Slice value) {
        /** The first key that can follow: where to go on when a limit cut an answer short. */
        public byte[] keyAfter() {
            return Arrays.copyOf(key, key.length + 1);
        }
    }

    /** Told what became of the work. Called on any thread, never after {@link #close} returned; must not block. */
    interface Listener {
        /**
         * All batches up to and including this one (numbered from 1 in order of submission) are applied and as durable as
         * they required.
         */
        void durable(long batchNumber);

        /** Answer to a {@link #scan}: the pairs in key order; {@code more} when a limit cut the answer short. */
        void scanned(long token, List<Pair> pairs, boolean more);

        /**
         * No space ({@code true}): batches wait and are retried; space again ({@code false}). Said again at least every
         * second while batches wait: a store that is silent although it was asked counts as one that hangs.
         */
        void full(boolean full);

        /** The store cannot go on; nothing more will complete. */
        void failed(StoreException cause);
    }

    /** Reads synchronously, for boot only: calls the visitor for every pair in [from, to) until it returns false. */
    void scanNow(byte[] from, byte[] to, Visitor visitor);

    /** Receives pairs in key order. */
    interface Visitor {
        /** Returns whether to go on. */
        boolean pair(byte[] key, Slice value);
    }

    /** Starts asynchronous work; called once. */
    void start(Listener listener);

    /** Takes over a batch and returns at once. Batches are numbered 1, 2, 3 … in this order. */
    void submit(StoreBatch batch);

    /**
     * Reads pairs in [from, to) in key order, at most {@code pairsMax} and at most about {@code bytesMax} of values (at
     * least one pair), as of all batches submitted before. The result comes through {@link Listener#scanned}.
     */
    void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax);

    /** Makes everything submitted durable and releases the directory. Idempotent. */
    @Override
    void close();
}
