package io.georep.store.memory;

import io.georep.model.Durability;
import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A store on the heap that forgets like a disk: {@link #crash} loses every batch that was not made durable, and
 * {@link #reopen} gives a store with what survived.
 *
 * <p>Work runs in order on an executor. With {@code Runnable::run} everything, completions included, happens within
 * {@link #submit} and {@link #scan}, which makes tests deterministic; without an executor the store has a thread of its
 * own until it is closed. As with a log on disk, a batch becomes durable together with all batches before it when one
 * that {@linkplain StoreBatch#required() requires FSYNC} is applied, and at {@link #close}.
 *
 * <p>It is stricter than a disk in one point: if a key was set twice, removing it by {@link StoreBatch#deleteOnce} is
 * reported as a failure, because a log-structured store would let the older value reappear.
 */
public final class MemoryStore implements EntryStore {
    private final @Nullable ExecutorService ownThread;
    private final Executor executor;
    private final Object lock = new Object();

    /** Guarded by the lock, like everything below. */
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    private final SortedPairs pairs;
    private final SortedPairs survivors;
    private final List<StoreBatch> unsynced = new ArrayList<>();
    private @Nullable Listener listener;
    private boolean running;
    private boolean closed;
    private boolean failed;
    private long applied;

    /** An empty store with a thread of its own. */
    public MemoryStore() {
        this(null, new SortedPairs());
    }

    /**
     * An empty store that works on this executor.
     *
     * @param executor runs the work; need not keep order
     */
    public MemoryStore(Executor executor) {
        this(executor, new SortedPairs());
    }

    private MemoryStore(@Nullable Executor executor, SortedPairs content) {
        this.pairs = content;
        this.survivors = content.copy();
        if (executor == null) {
            ownThread = Executors.newSingleThreadExecutor(StoreThread::new);
            this.executor = ownThread;
        } else {
            ownThread = null;
            this.executor = executor;
        }
    }

    @Override
    public void scanNow(byte[] from, byte[] to, Visitor visitor) {
        List<Pair> found;
        synchronized (lock) {
            found = pairs.scan(from, to, Integer.MAX_VALUE, Long.MAX_VALUE).pairs();
        }
        for (Pair pair : found) {
            if (!visitor.pair(pair.key(), pair.value())) {
                return;
            }
        }
    }

    @Override
    public void start(Listener listener) {
        synchronized (lock) {
            checkOpen();
            if (this.listener != null) {
                throw new IllegalStateException("the memory store was started before: call start once");
            }
            this.listener = listener;
        }
        schedule();
    }

    @Override
    public void submit(StoreBatch batch) {
        enqueue(() -> apply(batch));
    }

    @Override
    public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
        enqueue(() -> {
            SortedPairs.Found found;
            synchronized (lock) {
                found = pairs.scan(from, to, pairsMax, bytesMax);
            }
            report(listener -> listener.scanned(token, found.pairs(), found.more()));
        });
    }

    /**
     * Ends this store as a power cut would: work still queued is not done, batches not made durable are forgotten, and
     * nothing is reported any more. Idempotent; does nothing after {@link #close}.
     */
    public void crash() {
        synchronized (lock) {
            closed = true;
            tasks.clear();
            unsynced.clear();
        }
        stopThread();
    }

    /**
     * Returns a store with what survived, on the same kind of executor. It is not started. Call this once, after
     * {@link #crash} or {@link #close}.
     */
    public MemoryStore reopen() {
        synchronized (lock) {
            if (!closed) {
                throw new IllegalStateException("the memory store is open: call crash or close before reopen");
            }
            return new MemoryStore(ownThread == null ? executor : null, survivors);
        }
    }

    @Override
    public void close() {
        CountDownLatch drained = new CountDownLatch(1);
        synchronized (lock) {
            if (closed) {
                return;
            }
            tasks.add(() -> {
                try {
                    harden();
                } finally {
                    synchronized (lock) {
                        closed = true;
                    }
                    drained.countDown();
                }
            });
        }
        runTasks();
        uninterruptibly(() -> drained.await(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
        stopThread();
    }

    private void enqueue(Runnable task) {
        synchronized (lock) {
            checkOpen();
            tasks.add(task);
        }
        schedule();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the memory store is closed: reopen gives one with its content");
        }
    }

    private void schedule() {
        synchronized (lock) {
            if (running || listener == null || closed) {
                return;
            }
        }
        executor.execute(this::runTasks);
    }

    /** Runs what is queued, one task at a time, whatever the executor does. A listener may submit more meanwhile. */
    private void runTasks() {
        synchronized (lock) {
            if (running) {
                return;
            }
            running = true;
        }
        while (true) {
            Runnable task;
            synchronized (lock) {
                task = tasks.poll();
                if (task == null) {
                    running = false;
                    return;
                }
            }
            try {
                task.run();
            } catch (Throwable e) {
                fail(e);
            }
        }
    }

    /** A listener threw, or there is no memory. The thread goes on, because whoever closes the store waits for it. */
    private void fail(Throwable cause) {
        try {
            synchronized (lock) {
                failed = true;
            }
            StoreException failure = new StoreException(
                    StoreException.Kind.IO, "the memory store stopped: " + cause + "; report this as a bug", cause);
            report(listener -> listener.failed(failure));
        } catch (Throwable e) {
            // Nothing completes any more, which is noticed, too.
        }
    }

    private void apply(StoreBatch batch) {
        long number;
        synchronized (lock) {
            if (failed) {
                return;
            }
            try {
                pairs.apply(batch);
            } catch (IllegalStateException e) {
                failed = true;
                StoreException cause = new StoreException(StoreException.Kind.IO, String.valueOf(e.getMessage()), e);
                report(listener -> listener.failed(cause));
                return;
            }
            unsynced.add(batch);
            number = ++applied;
        }
        if (batch.required() == Durability.FSYNC) {
            harden();
        }
        report(listener -> listener.durable(number));
    }

    private void harden() {
        synchronized (lock) {
            unsynced.forEach(survivors::apply);
            unsynced.clear();
        }
    }

    private interface Report {
        void to(Listener listener);
    }

    private void report(Report report) {
        Listener told;
        synchronized (lock) {
            told = closed ? null : listener;
        }
        if (told != null) {
            report.to(told);
        }
    }

    /** Waits for the report under way, if any, unless the caller is that report. */
    private void stopThread() {
        if (ownThread == null) {
            return;
        }
        ownThread.shutdown();
        if (!(Thread.currentThread() instanceof StoreThread)) {
            uninterruptibly(() -> ownThread.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
        }
    }

    private interface Waiting {
        Object await() throws InterruptedException;
    }

    private static void uninterruptibly(Waiting waiting) {
        boolean interrupted = false;
        while (true) {
            try {
                waiting.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class StoreThread extends Thread {
        StoreThread(Runnable task) {
            super(task, "georep-memory-store");
        }
    }
}
