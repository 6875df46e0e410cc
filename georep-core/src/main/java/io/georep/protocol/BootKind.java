package io.georep.protocol;

/** How the previous run of this node ended, as this boot sees it. It tells what the peers may have done meanwhile. */
public enum BootKind {
    /** The store is new. This node knows nothing of an earlier life, so it proves nothing if it says "unknown". */
    FRESH,
    /**
     * The node is back before any peer could adopt: within T_s + T_x, or before the time of return that it had
     * announced.
     */
    PROMPT,
    /**
     * The node is back after peers may have adopted, after more than T_tomb, or with a wall clock that ran backwards.
     */
    LATE,
    /**
     * The store is older than what peers know of this node, for example a restored image. The node finds this out
     * while it runs.
     */
    STALE
}
