package io.georep.logging;

import org.slf4j.Logger;

/**
 * Logs errors in code of the application. Logging such an error must not cause the next one. For the node, and for whatever
 * else calls such code: the Spring Boot starter, a transport. Thread-safe.
 */
public final class SafeLog {
    /** Most characters of {@link #text}. */
    private static final int TEXT_MAX = 1000;

    private SafeLog() {}

    /**
     * Logs an error. Never throws: an error may be impossible to log (its message throws), or the log may be impossible to write
     * (the disk is full), and the calling thread has others to serve.
     *
     * @param format text with places for the arguments; if the last argument is a Throwable, its stack trace is logged
     */
    public static void log(Logger log, String format, Object... arguments) {
        try {
            log.error(format, arguments);
        } catch (Throwable unfit) {
            logWithoutError(log, format, arguments);
        }
    }

    private static void logWithoutError(Logger log, String format, Object... arguments) {
        try {
            int last = arguments.length - 1;
            Object error = last < 0 ? null : arguments[last];
            log.error("{} (about {}, which cannot be written down)", format, error == null ? "" : error.getClass());
        } catch (Throwable nothingLeftToTry) {
            // the calling thread has others to serve
        }
    }

    /**
     * Returns the class of an error and, after a colon, its message, in at most 1000 characters; only the class if the message
     * cannot be read. It never uses {@code toString()}, which may leave the class out. So a caller that must not show the
     * message can cut at the colon.
     */
    public static String text(Throwable error) {
        String text = error.getClass().getName();
        try {
            String message = error.getMessage();
            text = message == null ? text : text + ": " + message;
        } catch (Throwable unfit) {
            // the class has to do
        }
        return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX) + "…";
    }
}
