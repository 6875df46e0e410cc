package io.georep.spring.connect;

/**
 * What operators see of an error: its kind. The message may quote a payload or a password, so it is only in the log.
 */
final class ErrorKind {
    private ErrorKind() {}

    /** Returns the classes of the error and of its causes. */
    static String of(Throwable error) {
        StringBuilder kinds = new StringBuilder(error.getClass().getName());
        try {
            Throwable cause = error.getCause();
            for (int depth = 0; cause != null && depth < 3; depth++) {
                kinds.append(" by ").append(cause.getClass().getName());
                cause = cause.getCause();
            }
        } catch (Throwable unfit) {
            // the classes so far have to do: an error of a plugin may fail when it is asked for its cause
        }
        return kinds + " (the log has its message)";
    }
}
