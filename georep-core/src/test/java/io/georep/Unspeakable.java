package io.georep;

/** An error that fails when it is asked what it is about, as one does while memory or stack are short. */
public final class Unspeakable extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
        throw new IllegalStateException("not even this can be said");
    }
}
