package io.georep.flagons;

/** How much of the order an operation waits for. */
public enum FleetConsistency {
    /**
     * For nothing. A change is done by one of the nodes that have the key, and then by the others. A get returns the newest value that
     * one of them has. Takes two messages. Two clients may see different values for some seconds.
     */
    ANY,
    /**
     * A change waits for its place in the order. A get does not: it returns the value of up to three seconds ago, or a newer one if its
     * session has seen one.
     */
    CONVERGING,
    /** A change, and also a get, takes effect at its place in the order. Takes about three seconds; half as long in a fleet of up to 300 nodes. */
    ORDERED
}
