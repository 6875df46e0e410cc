package io.georep.flagons.core;

/** How much of the order a request waits for. */
public enum Consistency {
    /** For nothing: the next member of the group does it. What it does may not be seen by the others yet. */
    ANY,
    /** A change has its place in the order; a get does not wait for its own. */
    CONVERGING,
    /** It takes effect, or looks, at its own place in the order. */
    ORDERED
}
