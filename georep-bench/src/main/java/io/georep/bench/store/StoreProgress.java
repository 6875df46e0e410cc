package io.georep.bench.store;

import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Knows how far a store is, and waits for it. Thread-safe. */
public final class StoreProgress implements EntryStore.Listener {
    private long submitted;
    private long durable;
    private @Nullable List<EntryStore.Pair> scanned;
    private @Nullable StoreException failure;

    /** Counts a batch that was submitted, then waits until fewer than so many are under way. */
    public synchronized void submitted(int underWayMax) throws InterruptedException {
        submitted++;
        while (submitted - durable >= underWayMax) {
            requireWell();
            wait();
        }
    }

    /** Waits until every batch is durable. */
    public synchronized void awaitAll() throws InterruptedException {
        while (durable < submitted) {
            requireWell();
            wait();
        }
    }

    /** Waits for the answer to the one scan under way. */
    public synchronized List<EntryStore.Pair> awaitScan() throws InterruptedException {
        while (scanned == null) {
            requireWell();
            wait();
        }
        List<EntryStore.Pair> found = scanned;
        scanned = null;
        return found;
    }

    private void requireWell() {
        if (failure != null) {
            throw new IllegalStateException("the store failed", failure);
        }
    }

    @Override
    public synchronized void durable(long batchNumber) {
        durable = batchNumber;
        notifyAll();
    }

    @Override
    public synchronized void scanned(long token, List<EntryStore.Pair> pairs, boolean more) {
        scanned = pairs;
        notifyAll();
    }

    @Override
    public void full(boolean full) {
        System.out.println(full ? "the store's disk is full" : "the store's disk has space again");
    }

    @Override
    public synchronized void failed(StoreException cause) {
        failure = cause;
        notifyAll();
    }
}
