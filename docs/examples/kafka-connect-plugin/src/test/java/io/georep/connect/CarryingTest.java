package io.georep.connect;

import static io.georep.connect.Carriage.PARTITION;
import static io.georep.connect.Carriage.committed;
import static io.georep.connect.Carriage.record;
import static io.georep.connect.Carriage.state;
import static io.georep.connect.Carriage.statistics;
import static io.georep.connect.Carriage.value;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.model.PeerState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records go in at tasks of the sink and come out at tasks of the source, whatever happens to the tasks. */
final class CarryingTest {
    private static final Duration LONG = Duration.ofSeconds(40);

    @TempDir
    Path directory;

    private Carriage carriage;

    @BeforeEach
    void begin() {
        carriage = new Carriage(directory);
    }

    @AfterEach
    void end() {
        carriage.close();
    }

    /** What comes out, without committing it. */
    private List<SourceRecord> polled(GeoRepSourceTask source, int count) {
        List<SourceRecord> records = new ArrayList<>();
        await().atMost(LONG).until(() -> {
            List<SourceRecord> some = source.poll();
            carriage.sinks().forEach(each -> each.put(List.of())); // as Kafka Connect does all the time
            if (some != null) {
                records.addAll(some);
            }
            return records.size() >= count;
        });
        return records;
    }

    private static List<SinkRecord> records(long from, long to) {
        return LongStream.range(from, to)
                .mapToObj(offset -> record(offset, "value " + offset))
                .toList();
    }

    private void putDurably(GeoRepSinkTask sink, int count) {
        sink.put(records(0, count));
        await().atMost(LONG).until(() -> committed(sink, count) == count);
    }

    @Test
    void aRecordComesOutAsItWentIn() {
        GeoRepSinkTask sink = carriage.sink("w1", 0);
        GeoRepSourceTask source = carriage.source("w2", 0, Map.of("georep.id.header", "id"));

        putDurably(sink, 1);
        SourceRecord record = polled(source, 1).get(0);

        assertThat(record.topic()).isEqualTo("orders");
        assertThat(new String((byte[]) record.key(), UTF_8)).isEqualTo("key 0");
        assertThat(value(record)).isEqualTo("value 0");
        assertThat(record.timestamp()).isEqualTo(1_700_000_000_000L);
        Map<String, String> headers = Stream.of(record.headers())
                .flatMap(all -> {
                    List<Header> list = new ArrayList<>();
                    all.forEach(list::add);
                    return list.stream();
                })
                .collect(Collectors.toMap(Header::key, each -> new String((byte[]) each.value(), UTF_8)));
        assertThat(headers).containsEntry("tenant", "acme").containsOnlyKeys("tenant", "id");
        assertThat(headers.get("id")).startsWith("sink.to-nyc-0.w1");
        assertThat(statistics(source.node()).held()).containsEntry("orders", 1L);

        source.commitRecord(record, null);

        await().atMost(LONG).until(() -> statistics(sink.node()).copies() == 0);
        await().atMost(LONG).until(() -> statistics(source.node()).held().getOrDefault("orders", 0L) == 0);
    }

    @Test
    void nothingIsCommittedOrReadUntilCopiesAreDurable() {
        GeoRepSinkTask sink = carriage.sink("w1", 0);

        sink.put(records(10, 13));
        await().atMost(LONG).until(() -> {
            sink.put(List.of());
            return carriage.context(sink).paused.contains(PARTITION);
        });
        assertThat(committed(sink, 13)).isEqualTo(10);
        assertThat(carriage.context(sink).timeout).as("is called again soon").isPositive();

        GeoRepSourceTask source = carriage.source("w2", 0);
        await().atMost(LONG).until(() -> committed(sink, 13) == 13);

        sink.put(List.of());
        assertThat(carriage.context(sink).paused).isEmpty();
        assertThat(polled(source, 3)).extracting(Carriage::value).contains("value 10", "value 11", "value 12");
    }

    @Test
    void noMoreThanTheWindowIsHandedOutBeforeKafkaConfirms() throws Exception {
        GeoRepSourceTask source = carriage.source("w2", 0, Map.of("georep.window", "5"));
        GeoRepSinkTask sink = carriage.sink("w1", 0);
        putDurably(sink, 12);

        List<SourceRecord> first = polled(source, 5);
        assertThat(source.poll()).isNull();
        first.forEach(each -> source.commitRecord(each, null));
        List<SourceRecord> second = polled(source, 5);

        assertThat(first).hasSize(5);
        assertThat(second)
                .extracting(Carriage::value)
                .doesNotContainAnyElementsOf(first.stream().map(Carriage::value).toList());
    }

    @Test
    void aTaskThatStopsLeavesForGoodAndLeavesNothingBehind() {
        GeoRepSinkTask sink = carriage.sink("w1", 0);
        GeoRepSourceTask moving = carriage.source("w2", 0);
        putDurably(sink, 20);
        assertThat(polled(moving, 20)).as("handed to Kafka, not confirmed").hasSize(20);
        GeoRepSourceTask other = carriage.source("w3", 1);
        await().atMost(LONG).until(() -> state(other.node(), "source.from-ams-0.w2") == PeerState.ACTIVE);
        await().atMost(LONG).until(() -> state(sink.node(), "source.from-ams-1.w3") == PeerState.ACTIVE);

        carriage.stop(moving);

        assertThat(state(other.node(), "source.from-ams-0.w2"))
                .as("GOODBYE for good was heard")
                .isEqualTo(PeerState.TERMINATED);
        assertThat(polled(other, 20)).extracting(Carriage::value).contains("value 0", "value 19");
        assertThat(directory.resolve("w2/georep/source.from-ams/source.from-ams-0.w2"))
                .doesNotExist();
    }

    @Test
    void aTaskThatReturnsToItsWorkerWorksAgain() {
        GeoRepSinkTask sink = carriage.sink("w1", 0);
        GeoRepSourceTask other = carriage.source("w3", 1);
        GeoRepSourceTask moving = carriage.source("w2", 0);
        await().atMost(LONG).until(() -> state(sink.node(), "source.from-ams-0.w2") == PeerState.ACTIVE);
        carriage.stop(moving);
        carriage.stop(other);

        GeoRepSourceTask back = carriage.source("w2", 0);
        sink.put(records(0, 3));

        assertThat(polled(back, 3)).hasSize(3);
        assertThat(committed(sink, 3)).isEqualTo(3);
    }

    /** Kafka Connect starts a task anew although its predecessor takes too long to stop. */
    @Test
    void aTaskWaitsForItsPredecessor() {
        GeoRepSinkTask sink = carriage.sink("w1", 0);
        GeoRepSourceTask before = carriage.source("w2", 0, Map.of("georep.stop.timeout.ms", "1000"));
        putDurably(sink, 10);
        CompletableFuture<Void> stopping = CompletableFuture.runAsync(before::stop);

        GeoRepSourceTask after = carriage.source("w2", 0);

        assertThat(stopping).as("its store is closed").succeedsWithin(LONG);
        assertThat(polled(after, 10)).hasSize(10);
    }

    @Test
    void whatACrashedTaskHeldIsTakenOver() {
        GeoRepSinkTask sink = carriage.sink("w1", 0);
        GeoRepSourceTask crashing = carriage.source("w2", 0);
        putDurably(sink, 50);
        await().atMost(LONG).until(() -> statistics(crashing.node()).held().getOrDefault("orders", 0L) == 50);
        GeoRepSourceTask other = carriage.source("w3", 1);
        await().atMost(LONG).until(() -> state(sink.node(), "source.from-ams-1.w3") == PeerState.ACTIVE);

        crashing.node().kill();

        List<String> confirmed = new ArrayList<>();
        await().atMost(LONG).until(() -> {
            confirmed.addAll(polledAndConfirmed(other));
            return Set.copyOf(confirmed).size() == 50;
        });
    }

    private static List<String> polledAndConfirmed(GeoRepSourceTask source) {
        List<String> values = new ArrayList<>();
        try {
            for (List<SourceRecord> some = source.poll(); some != null; some = source.poll()) {
                some.forEach(each -> {
                    values.add(value(each));
                    source.commitRecord(each, null);
                });
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return values;
    }

    /** As when all workers lose power and Kafka Connect then deals the tasks out anew. */
    @Test
    void storesThatAreLeftOverAreEmptiedByTheTasksThatRunThere() {
        GeoRepSinkTask sink = carriage.sink("w1", 0);
        carriage.source("w2", 0);
        putDurably(sink, 30);
        carriage.killAll();

        GeoRepSinkTask sinkNow = carriage.sink("w1", 7);
        GeoRepSourceTask sourceNow = carriage.source("w2", 7);

        List<String> values = new ArrayList<>();
        await().atMost(LONG).until(() -> {
            sinkNow.put(List.of());
            values.addAll(polledAndConfirmed(sourceNow));
            return Set.copyOf(values).size() == 30;
        });
        await().atMost(LONG).until(() -> stores("w1").equals(List.of("sink.to-nyc-7.w1")));
        await().atMost(LONG).until(() -> stores("w2").equals(List.of("source.from-ams-7.w2")));
    }

    private List<String> stores(String worker) throws Exception {
        try (Stream<Path> connectors = Files.list(directory.resolve(worker).resolve("georep"))) {
            List<String> stores = new ArrayList<>();
            for (Path connector : connectors.toList()) {
                try (Stream<Path> all = Files.list(connector)) {
                    all.forEach(each -> stores.add(each.getFileName().toString()));
                }
            }
            return stores;
        }
    }

    @Test
    void aRecordThatIsTooLargeIsReportedOrFailsTheTask() {
        GeoRepSinkTask sink = carriage.sink("w1", 0);
        carriage.source("w2", 0);
        Carriage.SinkContext context = carriage.context(sink);
        putDurably(sink, 1);
        context.reports = true;

        sink.put(List.of(record(1, "x".repeat(2 << 20)), record(2, "small")));
        await().atMost(LONG).until(() -> committed(sink, 3) == 3);
        assertThat(context.reported).extracting(SinkRecord::kafkaOffset).containsExactly(1L);

        context.reports = false;
        assertThatThrownBy(() -> {
                    sink.put(List.of(record(3, "x".repeat(2 << 20))));
                    await().atMost(LONG).until(() -> committed(sink, 4) == 4);
                })
                .isInstanceOf(DataException.class)
                .hasMessageContaining("orders-0@3")
                .hasMessageContaining("payloadBytesMax");
    }

    @Test
    void aPartitionThatIsTakenAwayIsForgotten() {
        GeoRepSinkTask sink = carriage.sink("w1", 0);
        sink.put(records(0, 3));
        await().atMost(LONG).until(() -> {
            sink.put(List.of());
            return !carriage.context(sink).paused.isEmpty();
        });

        sink.close(Set.of(PARTITION));

        assertThat(committed(sink, 3)).as("somebody else reads them").isEqualTo(3);
        assertThat(carriage.context(sink).paused).isEmpty();
    }
}
