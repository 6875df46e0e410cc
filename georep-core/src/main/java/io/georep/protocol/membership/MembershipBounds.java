package io.georep.protocol.membership;

import io.georep.codec.Bound;

/** The bounds of the numbers of the membership. */
final class MembershipBounds {
    /** An incarnation of a peer that may be known by name only: 0 when never met. */
    static final Bound INCARNATION_OR_NONE = Bound.count("incarnation");

    /** One above the last removed incarnation, 0 for none. */
    static final Bound REMOVED_BELOW = new Bound("removed incarnation", 0, Bound.COUNT_MAX + 1);

    /** GOODBYEs said in one boot. */
    static final Bound GOODBYE = new Bound("goodbye number", 1, Bound.COUNT_MAX);

    /** The same of a peer that may have said none. */
    static final Bound GOODBYES = Bound.count("goodbye number");

    /** Drain commands of operators. */
    static final Bound DRAIN_VERSION = Bound.count("drain version");

    /** Lines of a peer list, that of its sender included. */
    static final Bound LINES = new Bound("lines of a list", 1, Integer.MAX_VALUE);

    /** A frame's number. */
    static final Bound FRAME = new Bound("frame number", 1, Bound.COUNT_MAX);

    /** Number of the frame that is echoed, 0 for none. */
    static final Bound ECHO = Bound.count("echo number");

    /** Age of an echo in microseconds: also in nanoseconds far from overflow. */
    static final Bound MICROS = new Bound("echo age", 0, (1L << 52) - 1);

    private MembershipBounds() {}
}
