package io.georep.outbox.local;

import io.georep.spi.SafeLog;
import java.lang.ref.WeakReference;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs why attempts fail. The first failure of an entry on this node is a warning; later ones have level debug. An
 * outage fails every entry, so only a few warnings are written per minute, one for a call that failed as a whole; one
 * line says how many were left out. Payloads are never written. Thread-safe.
 */
final class FailureLog {
    /** Most warnings in {@link #WINDOW_NANOS}. */
    static final int WARNINGS_MAX = 10;

    static final long WINDOW_NANOS = 60_000_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);

    private final String queue;
    private final Logger log;
    private boolean begun;
    private long windowBeganNanos;
    private int warnings;
    private long leftOut;
    private WeakReference<@Nullable Throwable> last = new WeakReference<>(null);

    FailureLog(String queue) {
        this(queue, LOG);
    }

    /** Writes to another logger: for tests. */
    FailureLog(String queue, Logger log) {
        this.queue = queue;
        this.log = log;
    }

    /** An attempt failed, and another one follows after the delay. Never throws. */
    void failed(EntryInHand attempt, Duration delay, Throwable error, long nowNanos) {
        try {
            if (!attempt.failureTold) {
                attempt.failureTold = true;
                if (mayWarn(error, nowNanos)) {
                    log.warn(
                            "Queue {}: attempt {} of entry {} failed, the next one is in {}: {}",
                            queue,
                            attempt.failures,
                            attempt.id,
                            delay,
                            SafeLog.text(error));
                    return;
                }
            }
            if (log.isDebugEnabled()) {
                log.debug(
                        "Queue {}: attempt {} of entry {} failed, the next one is in {}: {}",
                        queue,
                        attempt.failures,
                        attempt.id,
                        delay,
                        SafeLog.text(error),
                        error);
            }
        } catch (Throwable unfit) {
            // A log that is full, or an error that cannot be written, must not delay the entry.
        }
    }

    private boolean mayWarn(Throwable error, long nowNanos) {
        tellLeftOut(nowNanos);
        synchronized (this) {
            if (!begun) {
                begun = true;
                windowBeganNanos = nowNanos;
            }
            boolean sameCall = last.get() == error;
            last = new WeakReference<>(error);
            if (sameCall || warnings >= WARNINGS_MAX) {
                leftOut++;
                return false;
            }
            warnings++;
            return true;
        }
    }

    /** Ends a minute that is over: says how many warnings it would have had. */
    void tellLeftOut(long nowNanos) {
        long untold;
        synchronized (this) {
            if (!begun || nowNanos - windowBeganNanos < WINDOW_NANOS) {
                return;
            }
            begun = false;
            warnings = 0;
            last.clear();
            untold = leftOut;
            leftOut = 0;
        }
        if (untold > 0) {
            log.warn(
                    "Queue {}: {} more entries failed for the first time in the last minute or so; this log names them at"
                            + " level DEBUG",
                    queue,
                    untold);
        }
    }
}
