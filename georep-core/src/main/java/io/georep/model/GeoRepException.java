package io.georep.model;

/** Superclass of all exceptions that this library throws on purpose. The subclass says what the caller can do next. */
public abstract class GeoRepException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    protected GeoRepException(String message) {
        super(message);
    }

    protected GeoRepException(String message, Throwable cause) {
        super(message, cause);
    }
}
