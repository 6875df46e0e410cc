package io.georep.outbox.local;

import io.georep.logging.LimitedLog;
import io.georep.logging.SafeLog;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs why attempts fail. The first failure of an entry on this node is a warning; later ones have level debug. An
 * outage fails every entry, so only a few warnings are written per minute, one for a call that failed as a whole; one
 * line says how many were left out. Payloads are never written. Thread-safe.
 */
final class FailureLog {
    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);

    private final String queue;
    private final Logger log;
    private final LimitedLog limit;

    FailureLog(String queue, LongSupplier nanos) {
        this(queue, nanos, LOG);
    }

    /** Writes to another logger: for tests. */
    FailureLog(String queue, LongSupplier nanos, Logger log) {
        this.queue = queue;
        this.log = log;
        this.limit = new LimitedLog(
                log,
                entries -> "Queue " + queue + ": " + entries
                        + " more entries failed for the first time in the last minute or so; this log names"
                        + " them at level DEBUG",
                nanos);
    }

    /** An attempt failed, and another one follows after the delay. Never throws. */
    void failed(EntryInHand inHand, Duration delay, Throwable error) {
        try {
            if (!inHand.failureTold) {
                inHand.failureTold = true;
                if (limit.takes(error)) {
                    log.warn(
                            "Queue {}: attempt {} of entry {} failed, the next one is in {}: {}",
                            queue,
                            inHand.failures,
                            inHand.id,
                            delay,
                            SafeLog.text(error));
                    return;
                }
            }
            if (log.isDebugEnabled()) {
                log.debug(
                        "Queue {}: attempt {} of entry {} failed, the next one is in {}: {}",
                        queue,
                        inHand.failures,
                        inHand.id,
                        delay,
                        SafeLog.text(error),
                        error);
            }
        } catch (Throwable unfit) {
            // A log that is full, or an error that cannot be written, must not delay the entry.
        }
    }

    /** Ends a minute that is over: says how many warnings it would have had. */
    void tellLeftOut() {
        limit.tellLeftOut();
    }
}
