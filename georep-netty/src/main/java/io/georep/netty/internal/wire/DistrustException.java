package io.georep.netty.internal.wire;

/**
 * Thrown because the other side of a connection has not proved who it is, or does not believe this node. The message
 * is for the log.
 */
public final class DistrustException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Without a stack trace: strangers cause these, as many as they like. */
    public DistrustException(String message) {
        super(message, null, false, false);
    }
}
