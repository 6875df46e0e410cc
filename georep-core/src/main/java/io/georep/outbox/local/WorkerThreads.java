package io.georep.outbox.local;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of a forwarding without an executor of the application. They start when they are needed, and end when
 * they have been idle.
 */
final class WorkerThreads implements Executor {
    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor pool;

    WorkerThreads(String name, int count) {
        AtomicInteger number = new AtomicInteger();
        pool = new ThreadPoolExecutor(
                count, count, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable task) {
        pool.execute(task);
    }

    /** Ends the threads once they have nothing to do. */
    void shutDown() {
        pool.shutdown();
    }
}
