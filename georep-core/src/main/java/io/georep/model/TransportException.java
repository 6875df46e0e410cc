package io.georep.model;

/**
 * Thrown because the transport cannot start, for example because the port is taken. The message names the address, the cause
 * and the remedy.
 */
public final class TransportException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    public TransportException(String message, Throwable cause) {
        super(message, cause);
    }
}
