package io.georep.funnel.core.messages;

import io.georep.codec.Bound;

/** The bounds of the numbers of replicated maps. */
public final class FunnelBounds {
    /** Number of a view; 0 for none. */
    public static final Bound VIEW = Bound.count("view");

    /** Number of a commit in its view. */
    public static final Bound COMMIT = Bound.count("commit");

    /** The clock of a write, see {@link Stamp}. */
    public static final Bound CLOCK = Bound.count("clock");

    /** Number of a write, or of several, of one head. */
    public static final Bound COUNTER = Bound.count("counter");

    /** Number of a report. */
    static final Bound REPORT = Bound.count("number of a report");

    /** A wall clock in milliseconds, also the end of a time to live. */
    public static final Bound WALL_MILLIS = Bound.count("wall clock");

    private FunnelBounds() {}
}
