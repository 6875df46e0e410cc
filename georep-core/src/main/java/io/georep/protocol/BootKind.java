package io.georep.protocol;

/** How the previous run of this node ended, seen from this boot: what its peers may have done meanwhile (rule M14). */
public enum BootKind {
    /** The store is new: this node knows nothing of an earlier life, and "unknown" from it proves nothing. */
    FRESH,
    /** Back before any peer could adopt: within T_s + T_x, or before the return time announced with GOODBYE. */
    PROMPT,
    /** Back after peers may have adopted, or longer away than T_tomb, or the wall clock ran backwards. */
    LATE,
    /** The store is older than what peers know of this node (restored image); found out at run time (gap G12). */
    STALE
}
