package io.georep.connectors.kafka;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Which records of each partition are not safe elsewhere yet, and so which offsets the group may commit. Records become safe in
 * any order. Thread-safe.
 */
final class OpenRecords {
    private static final class Partition {
        private final TreeSet<Long> open = new TreeSet<>();
        private long next;
        private long committed;

        /** Returns the offset below which everything is safe. */
        long safeBelow() {
            return open.isEmpty() ? next : open.first();
        }
    }

    private final Map<TopicPartition, Partition> partitions = new HashMap<>();

    /** The next record of a partition is on its way. */
    synchronized void given(TopicPartition of, long offset) {
        Partition partition = partitions.get(of);
        if (partition == null) {
            partition = new Partition();
            partition.committed = offset;
            partitions.put(of, partition);
        }
        partition.open.add(offset);
        partition.next = offset + 1;
    }

    /** A record is safe. One that nobody knows any more is ignored. */
    synchronized void safe(TopicPartition of, long offset) {
        Partition partition = partitions.get(of);
        if (partition != null && partition.open.remove(offset) && partition.open.isEmpty()) {
            notifyAll();
        }
    }

    /** Returns the offsets that can be committed and have not been. */
    synchronized Map<TopicPartition, OffsetAndMetadata> committable() {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        partitions.forEach((of, partition) -> {
            if (partition.safeBelow() > partition.committed) {
                offsets.put(of, new OffsetAndMetadata(partition.safeBelow()));
            }
        });
        return offsets;
    }

    /** These need not be committed again. */
    synchronized void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((of, offset) -> {
            Partition partition = partitions.get(of);
            if (partition != null) {
                partition.committed = Math.max(partition.committed, offset.offset());
            }
        });
    }

    /** Waits until all records of these partitions are safe, but not longer than this time. */
    synchronized void awaitSafe(Collection<TopicPartition> those, long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (those.stream().anyMatch(this::isOpen)) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                return;
            }
            wait(left);
        }
    }

    private boolean isOpen(TopicPartition of) {
        Partition partition = partitions.get(of);
        return partition != null && !partition.open.isEmpty();
    }

    /** Forgets partitions that another task has now. */
    synchronized void forget(Collection<TopicPartition> those) {
        those.forEach(partitions::remove);
    }
}
