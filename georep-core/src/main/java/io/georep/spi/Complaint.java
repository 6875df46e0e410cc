package io.georep.spi;

import org.slf4j.Logger;

/**
 * Tells of an error in code of the application, whatever that error is: writing it down must not be the next one. For the
 * node and for hosts that call such code, too. Thread-safe.
 */
public final class Complaint {
    private Complaint() {}

    /**
     * Logs an error; never throws. An error can be unfit for a log (a message that throws), or the log for an error (a full
     * disk), and the thread that complains has others to serve.
     *
     * @param format text with places for the arguments; a Throwable at the end brings its stack trace
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
            // the thread that complains goes on
        }
    }

    /**
     * The class of an error and, after a colon, what it says, in at most 1000 characters; the class alone when it says nothing
     * that can be read. Never its {@code toString()}, which may leave the class out: who must not show what an error says cuts
     * at the colon.
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

    private static final int TEXT_MAX = 1000;
}
