package io.georep.model;

/** A listener that was registered. */
public interface Registration extends AutoCloseable {
    /** From now on the listener is not called any more, except by a call that has begun. */
    @Override
    void close();
}
