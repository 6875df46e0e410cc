package io.georep.spring.outbox;

import io.georep.model.GeoRepException;

/** Says that a payload cannot be written or read as JSON. */
final class JsonPayloadException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    /**
     * An error with another one's trace, and without its text.
     *
     * @param message says nothing of the payload
     */
    JsonPayloadException(String message, StackTraceElement[] trace) {
        super(message);
        setStackTrace(trace);
    }
}
