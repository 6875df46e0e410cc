package io.georep.spring;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler for an entry that no further attempt can save. The entry becomes a dead letter at once, whatever the
 * retry policy says.
 */
public class DeadLetterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DeadLetterException(String reason) {
        super(reason);
    }

    public DeadLetterException(String reason, @Nullable Throwable cause) {
        super(reason, cause);
    }
}
