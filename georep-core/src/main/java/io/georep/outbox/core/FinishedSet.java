package io.georep.outbox.core;

/**
 * Tombstones of one stream: the sequence numbers that are finished and must not come back (6.9). Nearly always all
 * numbers below some floor are, so the floor stands for them and only the ragged part above takes memory.
 */
final class FinishedSet {
    private long floor;
    private final SequenceSet above = new SequenceSet();

    /** All numbers below this are finished. */
    long floor() {
        return floor;
    }

    boolean contains(long member) {
        return member < floor || above.contains(member);
    }

    void add(long from, long to) {
        if (to <= floor) {
            return;
        }
        if (from > floor) {
            above.add(from, to);
            return;
        }
        floor = Math.max(to, above.nextAbsent(to));
        above.remove(0, floor);
    }

    void addAll(RangeList ranges) {
        for (int i = 0; i < ranges.count(); i++) {
            add(ranges.from(i), ranges.to(i));
        }
    }

    /** The finished numbers within [from, to). */
    RangeList within(long from, long to) {
        RangeList ranges = new RangeList();
        if (from < floor) {
            ranges.add(from, Math.min(to, floor));
        }
        above.forEachRun(Math.max(from, floor), to, ranges::add);
        return ranges;
    }

    /** The finished numbers within these ranges. */
    RangeList within(RangeList bounds) {
        RangeList ranges = new RangeList();
        for (int i = 0; i < bounds.count(); i++) {
            RangeList part = within(bounds.from(i), bounds.to(i));
            for (int k = 0; k < part.count(); k++) {
                ranges.add(part.from(k), part.to(k));
            }
        }
        return ranges;
    }

    /** What lies below the floor, as one range, and the first ones above it from a number on; at most so many. */
    RangeList first(long from, int rangesMax) {
        RangeList ranges = new RangeList();
        if (floor > 0) {
            ranges.add(0, floor);
        }
        RangeList rest = above.firstRanges(from, Long.MAX_VALUE, rangesMax - ranges.count());
        for (int i = 0; i < rest.count(); i++) {
            ranges.add(rest.from(i), rest.to(i));
        }
        return ranges;
    }

    /** The finished numbers above the floor. */
    SequenceSet above() {
        return above;
    }

    /** The number behind the last that is finished. */
    long end() {
        return above.isEmpty() ? floor : above.last() + 1;
    }

    /** How many numbers are finished. */
    long size() {
        return floor + above.size();
    }
}
