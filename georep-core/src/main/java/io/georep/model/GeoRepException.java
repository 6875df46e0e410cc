package io.georep.model;

/** Root of everything this library throws on purpose. The subclass tells what the caller may do next. */
public abstract class GeoRepException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    protected GeoRepException(String message) {
        super(message);
    }

    protected GeoRepException(String message, Throwable cause) {
        super(message, cause);
    }
}
