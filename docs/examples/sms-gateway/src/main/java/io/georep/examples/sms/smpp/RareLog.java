package io.georep.examples.sms.smpp;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/** Logs at most one line in a while, and counts the others: strangers must not fill the disk. Thread-safe. */
final class RareLog {
    private final Logger log;
    private final long everyNanos;
    private final LongSupplier nanos;
    private boolean used;
    private long last;
    private long skipped;

    /**
     * Nothing is logged yet.
     *
     * @param nanos the clock, as {@link System#nanoTime}
     */
    RareLog(Logger log, Duration every, LongSupplier nanos) {
        this.log = log;
        this.everyNanos = every.toNanos();
        this.nanos = nanos;
    }

    /** Logs a line at INFO, or counts it. */
    void info(String line) {
        log(Level.INFO, line);
    }

    /** Logs a line at WARN, or counts it. */
    void warn(String line) {
        log(Level.WARN, line);
    }

    private void log(Level level, String line) {
        long more;
        synchronized (this) {
            long now = nanos.getAsLong();
            if (used && now - last < everyNanos) {
                skipped++;
                return;
            }
            used = true;
            last = now;
            more = skipped;
            skipped = 0;
        }
        log.atLevel(level).log("{}{}", line, more == 0 ? "" : " (and " + more + " lines like this one since the last)");
    }
}
