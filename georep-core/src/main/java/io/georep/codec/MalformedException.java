package io.georep.codec;

/** Bytes from a peer or from disk do not follow the format. */
public final class MalformedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedException(String message) {
        super(message);
    }
}
