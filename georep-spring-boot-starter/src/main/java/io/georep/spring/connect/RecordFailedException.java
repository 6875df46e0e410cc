package io.georep.spring.connect;

import io.georep.logging.SafeLog;
import io.georep.spring.connect.Tolerance.Stage;

/** A record cannot be processed, and trying again has not helped. */
final class RecordFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Stage stage;
    private final Class<?> executing;
    private final Throwable error;

    RecordFailedException(Stage stage, Class<?> executing, Throwable error) {
        super(stage + " failed in " + executing.getName() + ": " + SafeLog.text(error), error);
        this.stage = stage;
        this.executing = executing;
        this.error = error;
    }

    Stage stage() {
        return stage;
    }

    /** Returns the class at work. */
    Class<?> executing() {
        return executing;
    }

    /** Returns what went wrong. */
    Throwable error() {
        return error;
    }
}
