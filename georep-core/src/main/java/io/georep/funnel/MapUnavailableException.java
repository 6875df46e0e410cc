package io.georep.funnel;

import io.georep.model.GeoRepException;

/**
 * Thrown because this node cannot serve the map now. A write was not applied anywhere, and will not be. Try again later, or at
 * a node that serves.
 */
public final class MapUnavailableException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    /** Why the node cannot serve. */
    public enum Reason {
        /** The node has not been told of a view yet, or it is no member of the newest one. */
        NO_VIEW,
        /** The node has no lease, or the master has not answered for so long that a write would be in doubt. */
        NO_LEASE,
        /** The view has just changed, and the members are still comparing what they hold. */
        VIEW_CHANGING,
        /** Fewer members are there than a write needs copies ({@code membersMin}); the maps are only read. */
        TOO_FEW_MEMBERS,
        /** The tail, which alone knows the newest value, did not answer in time. */
        TAIL_SILENT
    }

    private final Reason reason;

    public MapUnavailableException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Returns why the node cannot serve. */
    public Reason reason() {
        return reason;
    }
}
