package io.georep.bench.process;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Notices that this process had too little of the machine: a thread that wanted to sleep for a moment slept for long, or, on
 * Linux, a thread that wanted to run waited for a processor for most of the time. A process cannot make its own sleeping
 * threads wait for a processor, so it cannot excuse its own faults with this. Used by one thread.
 */
public final class Starvation {
    private static final Duration LOOK = Duration.ofMillis(250);

    /** A thread that waited for this share of the time got too little. */
    private static final double SHARE = 0.5;

    /** Told of times in which this process had too little. */
    @FunctionalInterface
    public interface Listener {
        /** From and until when, as {@link System#nanoTime} says. */
        void starved(long fromNanos, long untilNanos);
    }

    private final String threads;
    private final Listener listener;
    private Map<String, Long> before = Map.of();
    private long beforeNanos;

    /**
     * Watches nothing yet.
     *
     * @param threads what the names of the threads that count begin with
     */
    Starvation(String threads, Listener listener) {
        this.threads = threads;
        this.listener = listener;
    }

    /** Watches this process from now on, on a daemon thread of its own. */
    public static void watch(String threads, Listener listener) {
        Starvation watch = new Starvation(threads, listener);
        Thread thread = new Thread(watch::run, "starvation");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (true) {
            look(System.nanoTime(), waited());
            try {
                Thread.sleep(LOOK.toMillis());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Compares with the last look; the nanoseconds that each thread waited for a processor so far are by its id. */
    void look(long nowNanos, Map<String, Long> waited) {
        long passed = nowNanos - beforeNanos;
        long longest = passed - 2 * LOOK.toNanos() > 0 ? passed : 0;
        for (Map.Entry<String, Long> thread : waited.entrySet()) {
            Long then = before.get(thread.getKey());
            if (then != null && thread.getValue() - then > SHARE * passed) {
                longest = Math.max(longest, thread.getValue() - then);
            }
        }
        if (longest > 0 && beforeNanos != 0) {
            listener.starved(nowNanos - Math.max(longest, passed), nowNanos);
        }
        before = waited;
        beforeNanos = nowNanos;
    }

    private Map<String, Long> waited() {
        Map<String, Long> waited = new HashMap<>();
        SchedStat.ofThreads(threads).forEach((thread, times) -> waited.put(thread, times.waited()));
        return waited;
    }
}
