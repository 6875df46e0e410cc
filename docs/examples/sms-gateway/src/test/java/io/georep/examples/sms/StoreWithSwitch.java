package io.georep.examples.sms;

import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.spi.StoreFactory;
import io.georep.store.memory.MemoryStore;
import org.jspecify.annotations.Nullable;

/** A store in memory that says it has no space when the test wants it. */
final class StoreWithSwitch implements EntryStore {
    private final EntryStore store = new MemoryStore();
    private volatile @Nullable Listener listener;

    /** Opens this store. */
    StoreFactory factory() {
        return settings -> this;
    }

    /** Tells the node that there is no space, or space again. */
    void full(boolean full) {
        Listener current = listener;
        if (current == null) {
            throw new IllegalStateException("not started");
        }
        current.full(full);
    }

    @Override
    public void start(Listener started) {
        listener = started;
        store.start(started);
    }

    @Override
    public void scanNow(byte[] from, byte[] to, Visitor visitor) {
        store.scanNow(from, to, visitor);
    }

    @Override
    public void submit(StoreBatch batch) {
        store.submit(batch);
    }

    @Override
    public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
        store.scan(token, from, to, pairsMax, bytesMax);
    }

    @Override
    public void close() {
        store.close();
    }
}
