package io.georep.netty.internal;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Logs warnings that strangers can cause, at most {@value #LINES} per minute, so that a port scanner cannot fill the
 * disk. The first line of the next minute says how many were left out. Safe for several threads.
 */
final class LimitedLog {
    static final int LINES = 10;
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final LongSupplier nanos;
    private long windowStart;
    private int written;
    private long suppressed;

    LimitedLog(Logger log, LongSupplier nanos) {
        this.log = log;
        this.nanos = nanos;
        windowStart = nanos.getAsLong();
    }

    synchronized void warn(String line) {
        long now = nanos.getAsLong();
        if (now - windowStart >= WINDOW_NANOS) {
            windowStart = now;
            written = 0;
        }
        if (written >= LINES) {
            suppressed++;
            return;
        }
        written++;
        if (suppressed > 0) {
            log.warn("{} ({} similar lines left out before this one)", line, suppressed);
            suppressed = 0;
        } else {
            log.warn("{}", line);
        }
    }
}
