package io.georep.connectors;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;

/** What a task has around it, without a worker. */
public final class TaskBench implements SinkTaskContext {
    /** What it asked to wait, in milliseconds; -1 if nothing. */
    public long timeout = -1;
    /** What it gave up, with the reasons. */
    public final List<String> refused = new ArrayList<>();

    private final boolean reporting;

    /** A worker with dead letters or without. */
    public TaskBench(boolean reporting) {
        this.reporting = reporting;
    }

    /** Starts a task in this surrounding. */
    public <T extends SendingTask> T start(T task, Map<String, String> settings) {
        task.initialize(this);
        task.start(settings);
        return task;
    }

    /** A record at a position. */
    public static SinkRecord record(long offset, Object value, Map<String, String> headers) {
        ConnectHeaders all = new ConnectHeaders();
        headers.forEach(all::addString);
        Schema schema = value instanceof String ? Schema.STRING_SCHEMA : null;
        return new SinkRecord("mails", 0, null, null, schema, value, offset, 1_700_000_000_000L, null, all);
    }

    /** A record without headers. */
    public static SinkRecord record(long offset, Object value) {
        return record(offset, value, Map.of());
    }

    /** Puts them again and again; the pause of a task may not be over at once. */
    public static void putUntilTaken(SendingTask task, List<SinkRecord> records) {
        while (true) {
            try {
                task.put(records);
                return;
            } catch (RetriableException e) {
                assertThat(e).hasMessageContaining("trying again in");
            }
        }
    }

    @Override
    public ErrantRecordReporter errantRecordReporter() {
        return !reporting
                ? null
                : (record, error) -> {
                    refused.add(record.kafkaOffset() + ": " + error.getMessage());
                    return CompletableFuture.completedFuture(null);
                };
    }

    @Override
    public void timeout(long millis) {
        timeout = millis;
    }

    @Override
    public Map<String, String> configs() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void offset(Map<TopicPartition, Long> offsets) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void offset(TopicPartition partition, long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<TopicPartition> assignment() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void pause(TopicPartition... partitions) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void resume(TopicPartition... partitions) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void requestCommit() {
        throw new UnsupportedOperationException();
    }

    @Override
    public PluginMetrics pluginMetrics() {
        throw new UnsupportedOperationException();
    }
}
