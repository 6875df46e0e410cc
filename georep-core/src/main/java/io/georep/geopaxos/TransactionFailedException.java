package io.georep.geopaxos;

import io.georep.model.GeoRepException;

/** Thrown because a {@link MapTransaction} threw an exception. It had no effect on any node. The message names the exception. */
public final class TransactionFailedException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    /** Made by the library. */
    public TransactionFailedException(String message) {
        super(message);
    }
}
