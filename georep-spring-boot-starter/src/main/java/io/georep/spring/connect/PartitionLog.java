package io.georep.spring.connect;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one topic that one task has taken and not flushed, in the order of their offsets: what the task can get again.
 * It outlives the task, so that a restarted one goes on from what was flushed. For the thread of the task, except {@link #entry}.
 */
final class PartitionLog {
    private final TopicPartition partition;
    private final NavigableMap<Long, SinkEntry> unflushed = new ConcurrentSkipListMap<>();
    private long position;
    private long committed;

    /** Empty; the first entry gets this offset or a higher one. */
    PartitionLog(TopicPartition partition, long firstOffset) {
        this.partition = partition;
        this.position = firstOffset;
        this.committed = firstOffset;
    }

    TopicPartition partition() {
        return partition;
    }

    /** The offset of what the task gets next. */
    long position() {
        return position;
    }

    /** What the task has flushed: everything below this offset. */
    long committed() {
        return committed;
    }

    /** How many entries the task has taken and not flushed. */
    int size() {
        return unflushed.size();
    }

    /** Adds an entry that has its offset, which is higher than all before. It is the next to be delivered if nothing is due. */
    void add(SinkEntry entry) {
        unflushed.put(entry.offset(), entry);
    }

    /** What the task is to get, from the position on. Entries that have ended meanwhile are left out. */
    List<SinkEntry> due(int max) {
        List<SinkEntry> due = new ArrayList<>();
        for (SinkEntry entry : unflushed.tailMap(position, true).values()) {
            if (due.size() == max) {
                break;
            }
            if (!entry.ended()) {
                due.add(entry);
            }
        }
        return due;
    }

    /** The entry with this offset, for any thread; null if the task does not hold it. */
    @Nullable
    SinkEntry entry(long offset) {
        return unflushed.get(offset);
    }

    /** Whether there is something that the task has to get again. */
    boolean behind() {
        return !unflushed.isEmpty() && position <= unflushed.lastKey();
    }

    /** Nothing of what is left has to be delivered. */
    void toEnd() {
        if (!unflushed.isEmpty()) {
            delivered(unflushed.lastKey() + 1);
        }
    }

    /** The task has everything below this offset. */
    void delivered(long below) {
        position = Math.max(position, below);
    }

    /**
     * Sets what the task gets next. What it has flushed is gone, so it gets the first entry that is left if it asks for an
     * earlier one. If it asks for a later one, it says that it has everything before.
     *
     * @return the offset that applies
     */
    long seek(long offset) {
        long end = unflushed.isEmpty() ? committed : unflushed.lastKey() + 1;
        position = Math.max(committed, Math.min(offset, end));
        return position;
    }

    /** Starts again from what was flushed. */
    void rewind() {
        position = committed;
    }

    /**
     * The task has flushed everything below this offset.
     *
     * @return the entries that are forwarded by that
     */
    List<SinkEntry> commit(long below) {
        if (below <= committed) {
            return List.of();
        }
        NavigableMap<Long, SinkEntry> flushed = unflushed.headMap(below, false);
        List<SinkEntry> entries = new ArrayList<>(flushed.values());
        flushed.clear();
        committed = below;
        position = Math.max(position, below);
        return entries;
    }

    /** All that is left, when the task is gone for good. */
    List<SinkEntry> clear() {
        List<SinkEntry> left = new ArrayList<>(unflushed.values());
        unflushed.clear();
        return left;
    }
}
