package io.georep.bench.demo;

import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.ArrayDeque;
import java.util.Queue;

/** A store whose disk can be made to hang: it takes what it is asked, does nothing of it, and goes on later. Thread-safe. */
final class SwitchedStore implements EntryStore {
    private final EntryStore store;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean hung;

    SwitchedStore(EntryStore store) {
        this.store = store;
    }

    /** The disk hangs, or goes on where it was. */
    synchronized void hang(boolean on) {
        hung = on;
        while (!hung && !waiting.isEmpty()) {
            waiting.remove().run();
        }
    }

    private synchronized void inOrder(Runnable work) {
        if (hung) {
            waiting.add(work);
        } else {
            work.run();
        }
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
        inOrder(() -> store.submit(batch));
    }

    @Override
    public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
        inOrder(() -> store.scan(token, from, to, pairsMax, bytesMax));
    }

    @Override
    public void close() {
        hang(false);
        store.close();
    }
}
