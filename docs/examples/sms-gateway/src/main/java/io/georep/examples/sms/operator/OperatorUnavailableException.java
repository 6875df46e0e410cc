package io.georep.examples.sms.operator;

import org.jspecify.annotations.Nullable;

/** The operator did not take a message now; another attempt may succeed. */
public final class OperatorUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OperatorUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
