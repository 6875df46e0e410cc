package io.georep.model;

/** The transport cannot start, for example because the port is taken. The message names address, cause and remedy. */
public final class TransportException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    public TransportException(String message, Throwable cause) {
        super(message, cause);
    }
}
