package io.georep.geopaxos;

import io.georep.model.GeoRepException;

/**
 * Thrown because a read got no answer in time, or this node takes no requests. Nothing took effect, and nothing will. Try again, here
 * when the node reaches a majority of the voters, or at another node now.
 */
public final class OrderedMapUnavailableException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    /** Made by the library. */
    public OrderedMapUnavailableException(String message) {
        super(message);
    }
}
