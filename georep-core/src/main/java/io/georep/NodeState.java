package io.georep;

/** Life of a node, in this order; {@code FAILED} may follow any but {@code CLOSED}. */
public enum NodeState {
    /** The store is read and the transport is about to listen. */
    STARTING,
    /** Accepts and forwards entries. */
    RUNNING,
    /** Accepts nothing new, finishes what it began, says GOODBYE. */
    LEAVING,
    /** Stopped in order. */
    CLOSED,
    /** Stopped by an error it could not handle; see the log and {@link GeoRepNode#failure()}. */
    FAILED
}
