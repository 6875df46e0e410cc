package io.georep;

/** The life of a node, from the end of its start, in this order. {@code FAILED} may follow any state but {@code CLOSED}. */
public enum NodeState {
    /** The node accepts and forwards entries. */
    RUNNING,
    /** The node accepts nothing new, finishes what it began, and tells the other nodes goodbye. */
    LEAVING,
    /** The node stopped in order. */
    CLOSED,
    /** An error that the node could not handle stopped it; see the log and {@link GeoRepNode#failure()}. */
    FAILED
}
