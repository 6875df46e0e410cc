package io.georep.outbox.core.sets;

import java.util.Map;
import java.util.TreeMap;

/** Numbers of the full chunks of a {@link SequenceSet}, as maximal runs: two numbers stand for any length. */
final class FullChunks {
    /** Number of the first chunk of a run to that behind its last. */
    private final TreeMap<Long, Long> runs = new TreeMap<>();

    boolean isEmpty() {
        return runs.isEmpty();
    }

    /** Returns how many runs there are. */
    int runs() {
        return runs.size();
    }

    /** Returns the number behind the run that this chunk belongs to, -1 when it is not full. */
    long endOf(long chunk) {
        Map.Entry<Long, Long> run = runs.isEmpty() ? null : runs.floorEntry(chunk);
        return run != null && run.getValue() > chunk ? run.getValue() : -1;
    }

    /** Returns the first full chunk at or above this one, -1 when there is none. */
    long next(long chunk) {
        if (endOf(chunk) >= 0) {
            return chunk;
        }
        Long run = runs.ceilingKey(chunk);
        return run == null ? -1 : run;
    }

    /** Returns the last full chunk at or below this one, -1 when there is none. */
    long previous(long chunk) {
        Map.Entry<Long, Long> run = runs.floorEntry(chunk);
        return run == null ? -1 : Math.min(chunk, run.getValue() - 1);
    }

    /** Adds chunks [from, to), none of which is full yet. */
    void add(long from, long to) {
        Map.Entry<Long, Long> before = runs.floorEntry(from);
        long start = before != null && before.getValue() == from ? before.getKey() : from;
        Long end = runs.remove(to);
        runs.put(start, end == null ? to : end);
    }

    /**
     * Removes the chunks within [from, to).
     *
     * @return how many of them were full
     */
    long remove(long from, long to) {
        split(from);
        split(to);
        long removed = 0;
        Map.Entry<Long, Long> run = runs.ceilingEntry(from);
        while (run != null && run.getKey() < to) {
            removed += run.getValue() - run.getKey();
            runs.remove(run.getKey());
            run = runs.higherEntry(run.getKey());
        }
        return removed;
    }

    /** Makes a run end before this chunk, and another one begin with it. */
    private void split(long chunk) {
        Map.Entry<Long, Long> run = runs.lowerEntry(chunk);
        if (run != null && run.getValue() > chunk) {
            runs.put(run.getKey(), chunk);
            runs.put(chunk, run.getValue());
        }
    }

    void clear() {
        runs.clear();
    }
}
