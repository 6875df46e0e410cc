package io.georep.protocol.membership;

/** What counts as a life sign of a peer (gap G17). Anything but the default exists to replay the papers' tables. */
public enum LifeSigns {
    /** Any frame or part of a frame: the fewest duplicates at no cost. */
    UNSOLICITED,
    /** Only a frame that answers one this node sent lately. */
    ROUNDTRIP,
    /** Any frame, but nothing is sent to Terminated peers, so that silence spreads to both sides. */
    SUPPRESSED
}
