package io.georep.testing;

import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.store.memory.MemoryStore;

/** A store in memory that survives its node, and whose closing can be a crash. */
final class LocalStore implements EntryStore {
    private final MemoryStore store;
    private volatile boolean crashing;

    private LocalStore(MemoryStore store) {
        this.store = store;
    }

    static LocalStore empty() {
        return new LocalStore(new MemoryStore());
    }

    /** Returns what survived of this closed store. */
    LocalStore reopened() {
        return new LocalStore(store.reopen());
    }

    /** Makes the next {@link #close} lose what is not durable. */
    void crashOnClose() {
        crashing = true;
    }

    @Override
    public void scanNow(byte[] from, byte[] to, Visitor visitor) {
        store.scanNow(from, to, visitor);
    }

    @Override
    public void start(Listener listener) {
        store.start(listener);
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
        if (crashing) {
            store.crash();
        } else {
            store.close();
        }
    }
}
