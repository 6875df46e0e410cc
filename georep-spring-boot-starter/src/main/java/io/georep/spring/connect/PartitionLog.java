package io.georep.spring.connect;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one topic that one task has taken and not flushed, in the order of their offsets: what the task can
 * get again. The log outlives the task, so that a restarted task goes on from what was flushed. For the thread of the
 * task, except {@link #entry}. Offsets only rise, so a list is enough, and a commit removes its beginning at once.
 */
final class PartitionLog {
    private final TopicPartition partition;
    /** Guarded by this log: other threads look for entries. */
    private final List<SinkEntry> unflushed = new ArrayList<>();

    private long position;
    private long committed;

    /** Creates an empty log, whose first entry gets this offset or a higher one. */
    PartitionLog(TopicPartition partition, long firstOffset) {
        this.partition = partition;
        this.position = firstOffset;
        this.committed = firstOffset;
    }

    TopicPartition partition() {
        return partition;
    }

    /** Returns the offset of what the task gets next. */
    long position() {
        return position;
    }

    /** Returns what the task has flushed: everything below this offset. */
    long committed() {
        return committed;
    }

    /** Returns how many entries the task has taken and not flushed. */
    synchronized int size() {
        return unflushed.size();
    }

    /** Adds entries that have their offsets, which are higher than all before. They are the next ones if nothing is due. */
    synchronized void addAll(List<SinkEntry> entries) {
        unflushed.addAll(entries);
    }

    /**
     * These entries have ended, or others keep them, and the task never saw them: it may never say how far it has flushed them.
     * They leave, and those around them stay.
     */
    synchronized void leaveOut(Set<SinkEntry> entries) {
        unflushed.removeIf(entries::contains);
    }

    /** Leaves out what has ended because the task reported it. */
    synchronized void leaveOutEnded() {
        unflushed.removeIf(SinkEntry::ended);
    }

    /** Returns what the task is to get, from the position on. Entries that have ended meanwhile are left out. */
    synchronized List<SinkEntry> due(int max) {
        List<SinkEntry> due = new ArrayList<>();
        for (int i = below(position); i < unflushed.size() && due.size() < max; i++) {
            SinkEntry entry = unflushed.get(i);
            if (!entry.ended()) {
                due.add(entry);
            }
        }
        return due;
    }

    /** Returns the entry with this offset; null if the task does not hold it. Any thread. */
    @Nullable
    synchronized SinkEntry entry(long offset) {
        int index = below(offset);
        SinkEntry found = index < unflushed.size() ? unflushed.get(index) : null;
        return found != null && found.offset() == offset ? found : null;
    }

    /** Returns how many entries have lower offsets, which is the index of this offset, if it is there. */
    private int below(long offset) {
        int low = 0;
        int high = unflushed.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (unflushed.get(middle).offset() < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private long last() {
        return unflushed.get(unflushed.size() - 1).offset();
    }

    /** Returns whether there is something that the task has to get again. */
    synchronized boolean behind() {
        return !unflushed.isEmpty() && position <= last();
    }

    /** Returns whether the task has taken, and not flushed, something below this offset. */
    synchronized boolean unflushed(long below) {
        return !unflushed.isEmpty() && unflushed.get(0).offset() < Math.min(below, position);
    }

    /** Counts all that is left as delivered, because nothing of it has to be. */
    synchronized void toEnd() {
        if (!unflushed.isEmpty()) {
            delivered(last() + 1);
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
    synchronized long seek(long offset) {
        long end = Math.max(position, unflushed.isEmpty() ? committed : last() + 1);
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
    synchronized List<SinkEntry> commit(long below) {
        if (below <= committed) {
            return List.of();
        }
        List<SinkEntry> flushed = unflushed.subList(0, below(below));
        List<SinkEntry> entries = new ArrayList<>(flushed);
        flushed.clear();
        committed = below;
        position = Math.max(position, below);
        return entries;
    }

    /** All that is left, when the task is gone for good. */
    synchronized List<SinkEntry> clear() {
        List<SinkEntry> left = new ArrayList<>(unflushed);
        unflushed.clear();
        return left;
    }
}
