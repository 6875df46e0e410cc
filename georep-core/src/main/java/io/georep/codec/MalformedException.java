package io.georep.codec;

/** Thrown because bytes from a peer or from disk do not follow their format. */
public final class MalformedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedException(String message) {
        super(message);
    }
}
