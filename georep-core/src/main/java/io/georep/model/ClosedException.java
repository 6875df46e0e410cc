package io.georep.model;

/** Thrown because the node is stopped or stopping. Use another node. */
public final class ClosedException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    public ClosedException(String message) {
        super(message);
    }

    public ClosedException(String message, Throwable cause) {
        super(message, cause);
    }
}
