package io.georep;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The control of a test that bounds a duration: how much later than it wanted to a thread woke since this was opened. A
 * machine that is busy with other things is as late for what is tested.
 */
public final class Lateness implements AutoCloseable {
    private static final long PAUSE_NANOS = 5_000_000;

    private final long since = System.nanoTime();
    private final AtomicLong lateNanos = new AtomicLong();
    private final Thread thread = new Thread(this::run, "lateness");
    private volatile boolean closed;

    public Lateness() {
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        long before = since;
        while (!closed) {
            LockSupport.parkNanos(PAUSE_NANOS);
            long now = System.nanoTime();
            lateNanos.addAndGet(Math.max(0, now - before - PAUSE_NANOS));
            before = now;
        }
    }

    /** Time since this was opened, without that by which this machine was late. */
    public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - since - lateNanos.get());
    }

    @Override
    public void close() {
        closed = true;
    }
}
