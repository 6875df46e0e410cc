package io.georep.connect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.georep.FreePort;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.OutboxStatistics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.apache.kafka.connect.source.SourceRecord;

/** Tasks of both connectors with nodes on the loopback interface, driven as Kafka Connect drives them. */
final class Carriage implements AutoCloseable {
    static final TopicPartition PARTITION = new TopicPartition("orders", 0);

    private final Path directory;
    private final int firstPort;
    private final Map<GeoRepSinkTask, SinkContext> sinks = new HashMap<>();
    private final List<GeoRepSourceTask> sources = new ArrayList<>();

    /** Up to four tasks at a time, with their stores in this directory. */
    Carriage(Path directory) {
        this.directory = directory;
        this.firstPort = FreePort.findRange(4);
    }

    Map<String, String> settings(String connector, String worker, int task) {
        Map<String, String> settings = new HashMap<>();
        settings.put("name", connector);
        settings.put("georep.worker", worker);
        settings.put("georep.task", "" + task);
        settings.put("georep.data.dir", directory.resolve(worker).toString());
        String range = "127.0.0.1:" + firstPort + "-" + (firstPort + 3);
        settings.put("georep.listen", range);
        settings.put("georep.seeds", range);
        settings.put("georep.suspect.after.ms", "1500");
        settings.put("georep.terminate.after.ms", "500");
        settings.put("georep.leftovers.after.ms", "200");
        settings.put("georep.stop.timeout.ms", "5000");
        return settings;
    }

    GeoRepSinkTask sink(String worker, int task) {
        return sink(worker, task, Map.of());
    }

    GeoRepSinkTask sink(String worker, int task, Map<String, String> more) {
        Map<String, String> settings = settings("to-nyc", worker, task);
        settings.put("topics", "orders");
        settings.putAll(more);
        GeoRepSinkTask sink = new GeoRepSinkTask();
        SinkContext context = new SinkContext();
        sink.initialize(context);
        sink.start(settings);
        sink.open(Set.of(PARTITION));
        sinks.put(sink, context);
        return sink;
    }

    GeoRepSourceTask source(String worker, int task) {
        return source(worker, task, Map.of());
    }

    GeoRepSourceTask source(String worker, int task, Map<String, String> more) {
        Map<String, String> settings = settings("from-ams", worker, task);
        settings.put("georep.queues", "orders");
        settings.putAll(more);
        GeoRepSourceTask source = new GeoRepSourceTask();
        source.start(settings);
        sources.add(source);
        return source;
    }

    Set<GeoRepSinkTask> sinks() {
        return Set.copyOf(sinks.keySet());
    }

    SinkContext context(SinkTask sink) {
        return sinks.get(sink);
    }

    static SinkRecord record(long offset, String value) {
        ConnectHeaders headers = new ConnectHeaders();
        headers.add("tenant", "acme".getBytes(UTF_8), Schema.OPTIONAL_BYTES_SCHEMA);
        return new SinkRecord(
                "orders",
                0,
                Schema.OPTIONAL_BYTES_SCHEMA,
                ("key " + offset).getBytes(UTF_8),
                Schema.OPTIONAL_BYTES_SCHEMA,
                value.getBytes(UTF_8),
                offset,
                1_700_000_000_000L + offset,
                TimestampType.CREATE_TIME,
                headers);
    }

    /** What Kafka Connect would commit now if so many records had been put. */
    static long committed(SinkTask sink, long put) {
        sink.put(List.of());
        return sink.preCommit(Map.of(PARTITION, new OffsetAndMetadata(put)))
                .get(PARTITION)
                .offset();
    }

    static String value(SourceRecord record) {
        return new String((byte[]) record.value(), UTF_8);
    }

    static OutboxStatistics statistics(TaskNode node) {
        return node.node().statistics().of(OutboxActivity.class).protocol();
    }

    static PeerState state(TaskNode seenBy, String peer) {
        return seenBy.node().peers().stream()
                .filter(each -> each.id().equals(NodeId.of(peer)))
                .map(each -> each.state())
                .findFirst()
                .orElse(PeerState.PROSPECT);
    }

    void stop(SinkTask sink) {
        sinks.remove(sink);
        sink.stop();
    }

    void stop(GeoRepSourceTask source) {
        sources.remove(source);
        source.stop();
    }

    /** As if the workers were killed: nobody is told, the stores stay. */
    void killAll() {
        sinks.keySet().forEach(each -> each.node().kill());
        sources.stream()
                .filter(GeoRepSourceTask::isStarted)
                .forEach(each -> each.node().kill());
        sinks.clear();
        sources.clear();
    }

    @Override
    public void close() {
        killAll();
    }

    /** What a worker tells a task and is told. */
    static final class SinkContext implements SinkTaskContext {
        final Set<TopicPartition> paused = Collections.synchronizedSet(new HashSet<>());
        final List<SinkRecord> reported = new ArrayList<>();
        boolean reports;
        long timeout = -1;

        @Override
        public Map<String, String> configs() {
            return Map.of();
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
        public void timeout(long timeoutMs) {
            timeout = timeoutMs;
        }

        @Override
        public Set<TopicPartition> assignment() {
            return Set.of(PARTITION);
        }

        @Override
        public void pause(TopicPartition... partitions) {
            paused.addAll(List.of(partitions));
        }

        @Override
        public void resume(TopicPartition... partitions) {
            List.of(partitions).forEach(paused::remove);
        }

        @Override
        public void requestCommit() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ErrantRecordReporter errantRecordReporter() {
            return reports ? this::report : null;
        }

        private Future<Void> report(SinkRecord record, Throwable cause) {
            reported.add(record);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public PluginMetrics pluginMetrics() {
            throw new UnsupportedOperationException();
        }
    }
}
