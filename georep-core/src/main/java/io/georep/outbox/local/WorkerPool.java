package io.georep.outbox.local;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The workers of one forwarding: how many there are, and which of them the executor has got and not begun. An executor
 * may refuse workers, fail, or drop them without a message. Each time others are started after a pause, so that no
 * entry waits for a worker that never comes. Guarded by the monitor of its {@link ForwardWindow}.
 */
final class WorkerPool {
    /** A worker that must be started. */
    static final class Worker {
        private final long handedOverNanos;

        private Worker(long handedOverNanos) {
            this.handedOverNanos = handedOverNanos;
        }
    }

    private static final long REFUSED_PAUSE_MIN_NANOS = 10_000_000;
    private static final long REFUSED_PAUSE_MAX_NANOS = 1_000_000_000;
    private static final long PATIENCE_MIN_NANOS = 10_000_000_000L;
    private static final long PATIENCE_MAX_NANOS = 300_000_000_000L;

    private final int max;

    /** Workers that the executor has got and not begun, oldest first. */
    private final ArrayDeque<Worker> waiting = new ArrayDeque<>();

    private int count;
    private long refusedPauseNanos;
    private long noneBeforeNanos;
    private long patienceNanos = PATIENCE_MIN_NANOS;

    WorkerPool(int max) {
        this.max = max;
    }

    /** Workers to start for this many entries. */
    List<Worker> start(int ready, long now) {
        int missing = Math.min(max - count, ready);
        if (missing <= 0 || isPausing(now)) {
            return List.of();
        }
        List<Worker> started = new ArrayList<>(missing);
        for (int i = 0; i < missing; i++) {
            started.add(new Worker(now));
        }
        waiting.addAll(started);
        count += missing;
        return started;
    }

    private boolean isPausing(long now) {
        return refusedPauseNanos > 0 && now - noneBeforeNanos < 0;
    }

    /** Called when a worker begins to run. Returns whether it may go on: it runs for the first time, and was not given up. */
    boolean begins(Worker worker) {
        if (!waiting.remove(worker)) {
            return false;
        }
        refusedPauseNanos = 0;
        patienceNanos = PATIENCE_MIN_NANOS;
        return true;
    }

    /** A worker that had begun ends. */
    void ends() {
        count--;
    }

    /** The executor did not take these workers, or it says so. A worker that has begun nevertheless goes on. */
    void refused(List<Worker> workers, long now) {
        for (Worker worker : workers) {
            count -= waiting.remove(worker) ? 1 : 0;
        }
        pause(now);
    }

    /** A worker ended too early: the next one starts after a pause. */
    void failed(long now) {
        count--;
        pause(now);
    }

    private void pause(long now) {
        refusedPauseNanos = Math.min(REFUSED_PAUSE_MAX_NANOS, Math.max(REFUSED_PAUSE_MIN_NANOS, 2 * refusedPauseNanos));
        noneBeforeNanos = now + refusedPauseNanos;
    }

    /**
     * Gives up workers that should have begun long ago, and returns how many. If they come later nevertheless, they do
     * nothing.
     */
    int forget(long now) {
        int forgotten = 0;
        while (!waiting.isEmpty() && now - waiting.getFirst().handedOverNanos >= patienceNanos) {
            waiting.remove();
            forgotten++;
        }
        count -= forgotten;
        if (forgotten > 0) {
            patienceNanos = Math.min(PATIENCE_MAX_NANOS, 2 * patienceNanos);
        }
        return forgotten;
    }

    /**
     * Returns when to look again whether workers can be started for so many entries; {@link Long#MAX_VALUE} for never.
     */
    long nextNanos(int ready, long now) {
        long next = waiting.isEmpty() ? Long.MAX_VALUE : waiting.getFirst().handedOverNanos + patienceNanos;
        return ready > 0 && count < max && isPausing(now) ? Math.min(next, noneBeforeNanos) : next;
    }
}
