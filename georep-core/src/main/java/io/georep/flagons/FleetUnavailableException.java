package io.georep.flagons;

import io.georep.model.GeoRepException;

/**
 * Thrown because this node takes no operations on fleet maps now. Nothing took effect, and nothing will. Ask another node of the fleet
 * now, or this one later. The message says what is the matter with it.
 */
public final class FleetUnavailableException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    /** Made by the library. */
    public FleetUnavailableException(String message) {
        super(message);
    }
}
