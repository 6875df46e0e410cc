package io.georep.logging;

import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs what an outage or a stranger can cause any number of times: at most {@value #LINES} lines per minute, so that the disk
 * does not fill. Then one line says how many were left out. Thread-safe.
 */
public final class LimitedLog {
    /** Most lines in a minute. */
    public static final int LINES = 10;

    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final LongFunction<String> leftOutLine;
    private final LongSupplier nanos;
    private long windowBegan;
    private int written;
    private long leftOut;
    private WeakReference<@Nullable Throwable> last = new WeakReference<>(null);

    /** Writes to this logger. */
    public LimitedLog(Logger log) {
        this(log, lines -> lines + " similar lines were left out in the last minute or so", System::nanoTime);
    }

    /**
     * Writes to this logger.
     *
     * @param leftOutLine says how many lines were left out
     * @param nanos the time, which only moves forward
     */
    public LimitedLog(Logger log, LongFunction<String> leftOutLine, LongSupplier nanos) {
        this.log = log;
        this.leftOutLine = leftOutLine;
        this.nanos = nanos;
    }

    /** Logs a line at WARN. */
    public void warn(String line) {
        if (takes(null)) {
            log.warn("{}", line);
        }
    }

    /** Logs an error as {@link SafeLog#log} does. Never throws. */
    public void error(String format, Object... arguments) {
        if (takes(null)) {
            SafeLog.log(log, format, arguments);
        }
    }

    /**
     * Returns whether another line may be written now; if not, it counts as left out. Never throws.
     *
     * @param cause of which one line is enough as long as no other cause follows; null if there is none
     */
    public boolean takes(@Nullable Throwable cause) {
        tellLeftOut();
        synchronized (this) {
            if (written >= LINES || (cause != null && last.get() == cause)) {
                leftOut++;
                return false;
            }
            last = new WeakReference<>(cause);
            if (written == 0) {
                windowBegan = nanos.getAsLong();
            }
            written++;
            return true;
        }
    }

    /** Ends a minute that is over: says how many lines it would have had. Never throws. */
    public void tellLeftOut() {
        long untold;
        synchronized (this) {
            if (written == 0 || nanos.getAsLong() - windowBegan < WINDOW_NANOS) {
                return;
            }
            written = 0;
            last.clear();
            untold = leftOut;
            leftOut = 0;
        }
        try {
            if (untold > 0) {
                log.warn("{}", leftOutLine.apply(untold));
            }
        } catch (Throwable full) {
            // A log that cannot be written must not delay anything.
        }
    }
}
