package io.georep.spring.connect;

import java.util.Collection;
import java.util.concurrent.TimeUnit;

/**
 * After a failure of a sink: what it had taken and not flushed is put and flushed one by one, also in the next life, because one of
 * them made it fail. For the thread of the task.
 */
final class SinglePuts {
    private static final long FIRST_MILLIS = 10;

    /**
     * A sink may write on a thread of its own, and flush a record only a moment after it took it. This is how long the next one waits
     * for that. A sink that flushes several together needs the next one.
     */
    private static final long FLUSH_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Collection<PartitionLog> logs;
    private long below;

    /** When the sink got the first of the records that it has not flushed. */
    private long sinceNanos;

    SinglePuts(Collection<PartitionLog> logs) {
        this.logs = logs;
    }

    /** The sink failed with something below this offset that it has taken and not flushed; it need not be what it took last. */
    void suspect(long failedBelow) {
        below = failedBelow;
    }

    /** Whether what is put next is put alone. */
    boolean next() {
        return logs.stream().anyMatch(log -> log.behind() && log.position() < below);
    }

    /** The same for a batch that was put just now. */
    boolean begin() {
        if (!unflushed()) {
            sinceNanos = System.nanoTime();
        }
        return next();
    }

    private boolean unflushed() {
        return logs.stream().anyMatch(log -> log.unflushed(below));
    }

    /** Whether nothing more is put before the sink has flushed what it took, or has had time enough for that. */
    boolean waitForFlush() {
        return unflushed() && System.nanoTime() - sinceNanos < FLUSH_WITHIN_NANOS;
    }

    /** How long after the last commit the next one follows: the pauses double. */
    long pauseMillis(long lastCommitNanos) {
        return Math.max(FIRST_MILLIS, TimeUnit.NANOSECONDS.toMillis(lastCommitNanos - sinceNanos));
    }
}
