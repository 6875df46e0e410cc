package io.georep.outbox.local;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The workers of one forwarding: how many there are, and which were given to the executor and have not begun. An executor
 * may refuse them, fail, or drop them without a word; each time others are started after a pause, so that no entry waits for
 * a worker that will never come. Guarded by the monitor of its {@link ForwardWindow}.
 */
final class Crew {
    /** Somebody to be started. */
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

    /** Given to the executor and not begun, oldest first. */
    private final ArrayDeque<Worker> waiting = new ArrayDeque<>();

    private int count;
    private long refusedPauseNanos;
    private long noneBeforeNanos;
    private long patienceNanos = PATIENCE_MIN_NANOS;

    Crew(int max) {
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

    /** A worker runs; returns whether it is still wanted: it was not given up, and runs for the first time. */
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

    /** The executor did not take these, or so it said: who has begun all the same goes on. */
    void refused(List<Worker> workers, long now) {
        for (Worker worker : workers) {
            count -= waiting.remove(worker) ? 1 : 0;
        }
        pause(now);
    }

    /** A worker ended before its time: the next one starts after a pause. */
    void failed(long now) {
        count--;
        pause(now);
    }

    private void pause(long now) {
        refusedPauseNanos = Math.min(REFUSED_PAUSE_MAX_NANOS, Math.max(REFUSED_PAUSE_MIN_NANOS, 2 * refusedPauseNanos));
        noneBeforeNanos = now + refusedPauseNanos;
    }

    /** Gives up those that should have begun long ago; returns how many. They do nothing should they come after all. */
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

    /** When to look again whether workers can be started for this many entries; {@link Long#MAX_VALUE} for never. */
    long nextNanos(int ready, long now) {
        long next = waiting.isEmpty() ? Long.MAX_VALUE : waiting.getFirst().handedOverNanos + patienceNanos;
        return ready > 0 && count < max && isPausing(now) ? Math.min(next, noneBeforeNanos) : next;
    }
}
