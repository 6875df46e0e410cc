package io.georep.spring.connect;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

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

    /** And this is how long all of them together do, after one failure: what is behind them waits, too. */
    private static final long ALTOGETHER_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Collection<PartitionLog> logs;
    private final LongSupplier nanos;
    private long below;

    /** Whether nothing was put since the failure. */
    private boolean first;

    /** When the first record was put after the failure. */
    private long begunNanos;

    /** When the sink got the first of the records that it has not flushed. */
    private long sinceNanos;

    SinglePuts(Collection<PartitionLog> logs, LongSupplier nanos) {
        this.logs = logs;
        this.nanos = nanos;
    }

    /** The sink failed with something below this offset that it has taken and not flushed; it need not be what it took last. */
    void suspect(long failedBelow) {
        below = failedBelow;
        first = true;
    }

    /** Returns whether what is put next is put alone. */
    boolean next() {
        return logs.stream().anyMatch(log -> log.behind() && log.position() < below);
    }

    /** Returns the same for a batch that was put just now. */
    boolean begin() {
        if (!unflushed()) {
            sinceNanos = nanos.getAsLong();
            begunNanos = first ? sinceNanos : begunNanos;
            first = false;
        }
        return next();
    }

    private boolean unflushed() {
        return logs.stream().anyMatch(log -> log.unflushed(below));
    }

    /** Returns whether nothing more is put before the sink has flushed what it took, or has had time enough for that. */
    boolean waitForFlush() {
        long now = nanos.getAsLong();
        return now - sinceNanos < FLUSH_WITHIN_NANOS && now - begunNanos < ALTOGETHER_NANOS && unflushed();
    }

    /** Returns how long after the last commit the next one follows: the pauses double. */
    long pauseMillis(long lastCommitNanos) {
        return Math.max(FIRST_MILLIS, TimeUnit.NANOSECONDS.toMillis(lastCommitNanos - sinceNanos));
    }
}
