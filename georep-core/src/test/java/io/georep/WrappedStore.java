package io.georep;

import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import org.jspecify.annotations.Nullable;

/** A store that passes everything on to another one; a test overrides what it wants to change or count. */
public class WrappedStore implements EntryStore {
    protected final EntryStore store;
    private volatile @Nullable Listener listener;

    public WrappedStore(EntryStore store) {
        this.store = store;
    }

    /** The node that uses it, so that a test can report a full or a broken disk. */
    public final Listener listener() {
        Listener started = listener;
        if (started == null) {
            throw new IllegalStateException("not started");
        }
        return started;
    }

    @Override
    public void scanNow(byte[] from, byte[] to, Visitor visitor) {
        store.scanNow(from, to, visitor);
    }

    @Override
    public void start(Listener target) {
        listener = target;
        store.start(target);
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
