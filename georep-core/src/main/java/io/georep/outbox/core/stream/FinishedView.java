package io.georep.outbox.core.stream;

import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceView;

/** The tombstones of one stream, to look at. */
public interface FinishedView {
    /** All numbers below this are finished. */
    long floor();

    /** Returns the finished numbers above the floor. */
    SequenceView above();

    boolean contains(long member);

    /** Returns whether any number in [from, to) is finished. */
    default boolean intersects(long from, long to) {
        return from < floor() || above().intersects(from, to);
    }

    /** Returns the finished numbers within [from, to). */
    public default RangeList within(long from, long to) {
        return within(RangeList.of(from, to));
    }

    /** Returns the finished numbers within these ranges. */
    public RangeList within(RangeList bounds);

    /** Returns what lies below the floor, as one range, and the first ones above it from a number on; at most so many. */
    RangeList first(long from, int rangesMax);

    /** Returns the number behind the last that is finished. */
    long end();

    /** Returns how many numbers are finished. */
    long size();
}
