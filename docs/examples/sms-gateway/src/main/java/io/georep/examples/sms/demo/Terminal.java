package io.georep.examples.sms.demo;

import java.util.Locale;

/** Prints what happens, with the seconds since the start. Thread-safe. */
final class Terminal {
    private final long startNanos = System.nanoTime();

    void event(String format, Object... arguments) {
        plain("%7.2f s  %s", (System.nanoTime() - startNanos) / 1e9, String.format(Locale.ROOT, format, arguments));
    }

    void plain(String format, Object... arguments) {
        System.out.println(String.format(Locale.ROOT, format, arguments));
    }
}
