package io.georep.connectors;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The server cannot take a record now and may take it later. */
public final class TemporaryFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final Duration pause;

    /** A failure after which the server is asked again as soon as the settings say. */
    public TemporaryFailure(String message, @Nullable Throwable cause) {
        this(message, Duration.ZERO, cause);
    }

    /**
     * A failure about which the server said how long to wait.
     *
     * @param pause not negative; zero if it said nothing
     */
    public TemporaryFailure(String message, Duration pause, @Nullable Throwable cause) {
        super(message, cause);
        this.pause = pause;
    }

    Duration pause() {
        return pause;
    }
}
