package io.georep.consensus;

/** What the log of another member means for a member. */
public enum LogRelation {
    /** Nothing new: it is the same one, or one that this member's has gone on from, or none. */
    KNOWN,
    /** This member has none, so it is taught that one and founds none. */
    ELDER,
    /** It has gone on from the log of this member, which goes over to it. */
    NEXT,
    /** It has gone on from the log of this member, from a slot before its last one: this member takes part in nothing more. */
    ENDED,
    /** The two have nothing to do with each other. */
    UNLIKE
}
