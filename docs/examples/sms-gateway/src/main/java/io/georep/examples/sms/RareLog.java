package io.georep.examples.sms;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/** Logs only so many lines in a while, and counts the others: strangers must not fill the disk. Thread-safe. */
public final class RareLog {
    private final Logger log;
    private final int atMost;
    private final long everyNanos;
    private final LongSupplier nanos;
    private int written;
    private long begin;
    private long skipped;

    /**
     * Nothing is logged yet.
     *
     * @param atMost lines in that time
     * @param nanos the clock, as {@link System#nanoTime}
     */
    public RareLog(Logger log, int atMost, Duration every, LongSupplier nanos) {
        this.log = log;
        this.atMost = atMost;
        this.everyNanos = every.toNanos();
        this.nanos = nanos;
    }

    /** Logs a line at INFO, or counts it. */
    public void info(String line) {
        log(Level.INFO, line);
    }

    /** Logs a line at WARN, or counts it. */
    public void warn(String line) {
        log(Level.WARN, line);
    }

    private void log(Level level, String line) {
        long more;
        synchronized (this) {
            long now = nanos.getAsLong();
            if (written > 0 && now - begin >= everyNanos) {
                written = 0;
            }
            if (written == atMost) {
                skipped++;
                return;
            }
            begin = written == 0 ? now : begin;
            written++;
            more = skipped;
            skipped = 0;
        }
        log.atLevel(level).log("{}{}", line, more == 0 ? "" : " (and " + more + " lines like this one since the last)");
    }
}
