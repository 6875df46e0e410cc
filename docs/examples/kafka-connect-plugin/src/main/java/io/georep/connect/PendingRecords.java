package io.georep.connect;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** The records of each partition in order, from the first one that is not durable. For the thread of the task. */
final class PendingRecords {
    private final Map<TopicPartition, Deque<PendingRecord>> partitions = new HashMap<>();
    private int size;

    void add(PendingRecord record) {
        partitions.computeIfAbsent(record.partition, none -> new ArrayDeque<>()).add(record);
        size++;
    }

    /** How many records there are, durable ones behind others included. */
    int size() {
        return size;
    }

    /** Forgets what is durable at the beginning of each partition. */
    void trim() {
        for (Deque<PendingRecord> records : partitions.values()) {
            PendingRecord first = records.peek();
            while (first != null && first.isDone()) {
                records.remove();
                size--;
                first = records.peek();
            }
        }
    }

    /** Forgets partitions that the task no longer has. */
    void drop(Collection<TopicPartition> gone) {
        for (TopicPartition partition : gone) {
            Deque<PendingRecord> records = partitions.remove(partition);
            if (records != null) {
                records.forEach(PendingRecord::done);
                size -= records.size();
            }
        }
    }

    /** Returns up to where all records of each partition are durable, at most as far as was asked. */
    Map<TopicPartition, OffsetAndMetadata> durable(Map<TopicPartition, OffsetAndMetadata> asked) {
        trim();
        Map<TopicPartition, OffsetAndMetadata> durable = new HashMap<>();
        asked.forEach((partition, offset) -> {
            Deque<PendingRecord> records = partitions.get(partition);
            PendingRecord first = records == null ? null : records.peek();
            durable.put(
                    partition,
                    first == null || first.offset >= offset.offset() ? offset : new OffsetAndMetadata(first.offset));
        });
        return durable;
    }
}
