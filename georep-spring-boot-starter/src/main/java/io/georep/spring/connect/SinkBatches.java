package io.georep.spring.connect;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;

/** Puts together the entries that a task gets in one call, in one life of the task. For the thread of the task. */
final class SinkBatches {
    private final RecordFormat format;
    private final TransformChain<SinkRecord> chain;
    private final RuntimeRecords runtimeRecords;
    private final int partition;
    private final SetAside setAside;
    private final BiConsumer<String, Set<SinkEntry>> unseenByTask;

    /** What goes to the task in one call, and up to which offset it brings each topic. */
    record Batch(List<SinkRecord> records, Map<String, Long> delivered) {}

    /** {@code unseenByTask} is told, by topic, which entries do not go to the task: filtered away, or set aside. */
    SinkBatches(
            RecordFormat format,
            TransformChain<SinkRecord> chain,
            RuntimeRecords runtimeRecords,
            int partition,
            SetAside setAside,
            BiConsumer<String, Set<SinkEntry>> unseenByTask) {
        this.format = format;
        this.chain = chain;
        this.runtimeRecords = runtimeRecords;
        this.partition = partition;
        this.setAside = setAside;
        this.unseenByTask = unseenByTask;
    }

    /**
     * Entries of one topic follow each other. The batch ends before an entry that has failed and is not tolerated, so
     * that those before it are still delivered.
     *
     * @throws ConnectException if the first entry has failed and is not tolerated
     */
    Batch of(List<SinkEntry> entries) {
        List<SinkRecord> records = new ArrayList<>(entries.size());
        Map<String, Long> delivered = new HashMap<>();
        Map<String, Set<SinkEntry>> unseen = new HashMap<>();
        SinkEntry before = null;
        for (SinkEntry entry : entries) {
            try {
                SinkRecord record = chain.apply(format.read(entry, partition));
                if (record == null) {
                    leaveOut(entry, unseen);
                } else {
                    records.add(runtimeRecords.of(record, entry, partition));
                }
            } catch (RecordFailedException e) {
                try {
                    CompletableFuture<Void> unused = setAside.add(entry, e); // which holds it
                    leaveOut(entry, unseen);
                } catch (ConnectException intolerable) {
                    if (before == null) {
                        throw intolerable;
                    }
                    break;
                }
            }
            if (before != null && !before.topic().equals(entry.topic())) {
                delivered.put(before.topic(), before.offset() + 1);
            }
            before = entry;
        }
        if (before != null) {
            delivered.put(before.topic(), before.offset() + 1);
        }
        unseen.forEach(unseenByTask);
        return new Batch(records, delivered);
    }

    private static void leaveOut(SinkEntry entry, Map<String, Set<SinkEntry>> unseen) {
        unseen.computeIfAbsent(entry.topic(), topic -> new LinkedHashSet<>()).add(entry);
    }
}
