package io.georep.outbox.core.stream;

import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.sets.SequenceView;
import java.util.ArrayList;
import java.util.List;

/** Which entries of a stream have their bytes in the store, and in which groups. */
final class StoredGroups {
    /** First sequence number of every group. */
    private final SequenceSet firsts = new SequenceSet();

    /** Entries of all groups, also the finished ones beside live neighbours. */
    private final SequenceSet covered = new SequenceSet();

    /** Adds a group that was stored. */
    void add(long from, long to) {
        firsts.add(from);
        covered.add(from, to);
    }

    /** Returns the first numbers of all groups. */
    SequenceView firsts() {
        return firsts;
    }

    /** Returns the entries of all groups. */
    SequenceView covered() {
        return covered;
    }

    /** Forgets the groups that touch these ranges and in which no entry needs its payload; returns their first numbers. */
    List<Long> dropUnneeded(RangeList ranges, Custodies custodies) {
        List<Long> dropped = unneeded(ranges, custodies);
        for (long first : dropped) {
            covered.remove(first, end(first));
            firsts.remove(first, first + 1);
        }
        return dropped;
    }

    private List<Long> unneeded(RangeList ranges, Custodies custodies) {
        List<Long> found = new ArrayList<>();
        for (int i = 0; i < ranges.count(); i++) {
            long first = firsts.previous(ranges.from(i));
            first = first >= 0 ? first : firsts.next(ranges.from(i));
            while (first >= 0 && first < ranges.to(i)) {
                long next = firsts.next(first + 1);
                boolean repeated = !found.isEmpty() && found.get(found.size() - 1) == first;
                if (!repeated && !custodies.needPayload(first, end(first))) {
                    found.add(first);
                }
                first = next;
            }
        }
        return found;
    }

    /** Returns the sequence number behind the last entry of a group. */
    private long end(long first) {
        long next = firsts.next(first + 1);
        long end = covered.nextAbsent(first);
        return next < 0 ? end : Math.min(end, next);
    }

    /** Fills this with what was read. */
    void read(RangeList groups, RangeList entries) {
        firsts.addAll(groups);
        covered.addAll(entries);
    }
}
