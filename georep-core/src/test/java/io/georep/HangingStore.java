package io.georep;

import io.georep.spi.StoreBatch;
import io.georep.store.memory.MemoryStore;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;

/** A store with a switch: while it hangs, it answers nothing, not even {@link #close}; then it goes on where it was. */
public final class HangingStore extends WrappedStore {
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private volatile boolean closed;
    private volatile boolean isFull;
    private CountDownLatch hanging = new CountDownLatch(0);

    public HangingStore() {
        super(new MemoryStore());
    }

    /** No answer from now on. */
    public synchronized void hang() {
        hanging = new CountDownLatch(1);
    }

    /** The same for lack of space, as it says; but whoever closes it does not wait for that. */
    public void fill() {
        hang();
        isFull = true;
        listener().full(true);
    }

    /** What waits is done in its order, and before anybody can close the store. */
    public synchronized void goOn() {
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
        hanging.countDown();
    }

    private synchronized void inOrder(Runnable work) {
        if (hanging.getCount() > 0) {
            waiting.add(work);
        } else {
            work.run();
        }
    }

    @Override
    public void scanNow(byte[] from, byte[] to, Visitor visitor) {
        awaitDisk();
        super.scanNow(from, to, visitor);
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
        if (!isFull) {
            awaitDisk();
        }
        store.close();
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    private void awaitDisk() {
        CountDownLatch disk;
        synchronized (this) {
            disk = hanging;
        }
        try {
            disk.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
