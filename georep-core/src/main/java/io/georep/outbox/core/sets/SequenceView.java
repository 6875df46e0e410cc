package io.georep.outbox.core.sets;

/** A set of sequence numbers to look at. It changes as its owner changes it: copy what must last with {@link #all}. */
public interface SequenceView {
    /** Receives runs in ascending order. */
    interface RunVisitor {
        void run(long from, long to);
    }

    boolean isEmpty();

    /** Returns the number of members. */
    long size();

    boolean contains(long member);

    /** Returns the smallest member at or above a number, -1 when there is none. */
    long next(long from);

    /** Returns the smallest non-member at or above a number. */
    long nextAbsent(long from);

    /** Returns the greatest member at or below a number, -1 when there is none. */
    long previous(long from);

    /** Returns the smallest member, -1 when empty. */
    default long first() {
        return next(0);
    }

    /** Returns the greatest member, -1 when empty. */
    default long last() {
        return previous(Long.MAX_VALUE);
    }

    /** Returns whether any member lies in [from, to). */
    default boolean intersects(long from, long to) {
        long first = next(from);
        return first >= 0 && first < to;
    }

    /** Visits the maximal runs of members within [from, to). The set must not change meanwhile. */
    default void forEachRun(long from, long to, RunVisitor visitor) {
        long start = next(from);
        while (start >= 0 && start < to) {
            long end = Math.min(to, nextAbsent(start));
            visitor.run(start, end);
            start = end < to ? next(end) : -1;
        }
    }

    /** Returns how many pieces the set takes in memory: chunks with bits, and runs of full ones. */
    int pieces();

    /** Returns the members within [from, to). */
    default RangeList within(long from, long to) {
        RangeList ranges = new RangeList();
        forEachRun(from, to, ranges::add);
        return ranges;
    }

    /** Returns the members within these ranges. */
    default RangeList within(RangeList bounds) {
        RangeList ranges = new RangeList();
        for (int i = 0; i < bounds.count(); i++) {
            forEachRun(bounds.from(i), bounds.to(i), ranges::add);
        }
        return ranges;
    }

    /** All members. */
    default RangeList all() {
        return within(0, Long.MAX_VALUE);
    }

    /** Returns the first members within [from, to), in at most {@code rangesMax} ranges. */
    default RangeList firstRanges(long from, long to, int rangesMax) {
        RangeList ranges = new RangeList();
        long start = next(from);
        while (start >= 0 && start < to && ranges.count() < rangesMax) {
            long end = Math.min(to, nextAbsent(start));
            ranges.add(start, end);
            start = next(end);
        }
        return ranges;
    }
}
