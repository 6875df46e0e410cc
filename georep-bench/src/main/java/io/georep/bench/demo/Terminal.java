package io.georep.bench.demo;

import java.io.PrintStream;
import java.util.Locale;

/** Lines with the time since the start. Needs no terminal. Thread-safe. */
final class Terminal {
    private final PrintStream out;
    private final long startNanos = System.nanoTime();

    Terminal(PrintStream out) {
        this.out = out;
    }

    /** Something happened. */
    synchronized void event(String format, Object... values) {
        out.printf(Locale.ROOT, "[%6.1f s] %s%n", seconds(System.nanoTime() - startNanos), text(format, values));
        out.flush();
    }

    /** A line without the time. */
    synchronized void plain(String format, Object... values) {
        out.println(text(format, values));
        out.flush();
    }

    /** Seconds of nanoseconds. */
    static double seconds(long nanos) {
        return nanos / 1e9;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
