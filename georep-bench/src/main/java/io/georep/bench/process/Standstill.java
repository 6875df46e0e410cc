package io.georep.bench.process;

import java.time.Duration;
import java.util.Map;

/**
 * How much of the time this process as a whole made no progress, because its threads waited for a processor. In each look it counts which
 * share of the threads that did something, or wanted to, waited for most of the time; so one thread of a hundred that waits is a
 * hundredth of the process. What all of them spend in little waits does not count. Known on Linux only. Thread-safe.
 */
public final class Standstill implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(500);

    /** A thread that waited for this share of a look made no progress in it. */
    private static final double SHARE = 0.5;

    private final String threads;
    private final Thread looks = new Thread(this::run, "standstill");
    private Map<String, SchedStat.Times> before = Map.of();
    private long beforeNanos;
    private double stoodNanos;
    private long lookedNanos;

    /** Of threads whose names begin like this. */
    Standstill(String threads) {
        this.threads = threads;
    }

    /** Looks at this process from now on, on a daemon thread of its own. */
    public static Standstill watch(String threads) {
        Standstill watched = new Standstill(threads);
        watched.looks.setDaemon(true);
        watched.looks.start();
        return watched;
    }

    private void run() {
        try {
            while (true) {
                look(System.nanoTime(), SchedStat.ofThreads(threads));
                Thread.sleep(LOOK.toMillis());
            }
        } catch (InterruptedException e) {
            // It was closed.
        }
    }

    /** Compares with the last look. */
    synchronized void look(long nowNanos, Map<String, SchedStat.Times> times) {
        long passed = nowNanos - beforeNanos;
        int wanted = 0;
        double stood = 0;
        for (Map.Entry<String, SchedStat.Times> thread : times.entrySet()) {
            SchedStat.Times then = before.get(thread.getKey());
            if (then != null && !then.equals(thread.getValue())) {
                wanted++;
                // It may be more than one look: for how long a thread waited is known only when it goes on.
                long waited = thread.getValue().waited() - then.waited();
                stood += waited > SHARE * passed ? Math.max(passed, waited) : 0;
            }
        }
        if (beforeNanos != 0) {
            lookedNanos += passed;
            stoodNanos += wanted == 0 ? 0 : stood / wanted;
        }
        before = times;
        beforeNanos = nowNanos;
    }

    /** Forgets what was before. */
    public synchronized void restart() {
        stoodNanos = 0;
        lookedNanos = 0;
    }

    /** Returns the milliseconds in which it stood still. */
    public synchronized long stoodMillis() {
        return Math.round(stoodNanos / 1e6);
    }

    /** Returns the milliseconds of all looks. */
    public synchronized long lookedMillis() {
        return Math.round(lookedNanos / 1e6);
    }

    @Override
    public void close() {
        looks.interrupt();
    }
}
