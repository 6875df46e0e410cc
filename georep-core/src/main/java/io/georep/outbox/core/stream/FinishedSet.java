package io.georep.outbox.core.stream;

import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;

/**
 * Tombstones of one stream: the sequence numbers that are finished and must not come back (6.9). Nearly always all
 * numbers below some floor are, so the floor stands for them and only the ragged part above takes memory.
 */
public final class FinishedSet implements FinishedView {
    private long floor;
    private final SequenceSet above = new SequenceSet();

    public void add(long from, long to) {
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

    @Override
    public long floor() {
        return floor;
    }

    @Override
    public SequenceSet above() {
        return above;
    }

    @Override
    public boolean contains(long member) {
        return member < floor || above.contains(member);
    }

    @Override
    public RangeList within(RangeList bounds) {
        RangeList ranges = new RangeList();
        for (int i = 0; i < bounds.count(); i++) {
            long from = bounds.from(i);
            long to = bounds.to(i);
            if (from < floor) {
                ranges.add(from, Math.min(to, floor));
            }
            above.forEachRun(Math.max(from, floor), to, ranges::add);
        }
        return ranges;
    }

    @Override
    public RangeList first(long from, int rangesMax) {
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

    @Override
    public long end() {
        return above.isEmpty() ? floor : above.last() + 1;
    }

    @Override
    public long size() {
        return floor + above.size();
    }
}
