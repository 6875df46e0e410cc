package io.georep.connectors.kafka;

import static io.georep.connectors.TaskBench.putUntilTaken;
import static io.georep.connectors.TaskBench.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.connectors.TaskBench;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Both directions with a broker of Kafka. */
@Tag("servers")
@Timeout(120)
final class KafkaBrokerTest {
    @TempDir
    private static Path directory;

    private static KafkaBroker broker;

    private final TaskBench bench = new TaskBench(true);

    @BeforeAll
    static void startBroker() {
        broker = new KafkaBroker(directory);
        broker.start();
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    private KafkaSinkTask sink(String... settings) {
        Map<String, String> all = new HashMap<>(Map.of(
                "kafka.bootstrap.servers", broker.servers(), "kafka.timeout.ms", "3000", "retry.backoff.ms", "1"));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        return bench.start(new KafkaSinkTask(), all);
    }

    private static KafkaSourceTask source(String topic, String group, String... settings) {
        Map<String, String> all = new HashMap<>(Map.of(
                "kafka.bootstrap.servers",
                broker.servers(),
                "kafka.topics",
                topic,
                "kafka.group.id",
                group,
                "kafka.commit.interval.ms",
                "0"));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        KafkaSourceTask task = new KafkaSourceTask();
        task.start(all);
        return task;
    }

    private static List<SourceRecord> poll(KafkaSourceTask task, int count) throws InterruptedException {
        List<SourceRecord> records = new ArrayList<>();
        while (records.size() < count) {
            List<SourceRecord> polled = task.poll();
            if (polled != null) {
                records.addAll(polled);
            }
        }
        return records;
    }

    private static List<String> values(List<SourceRecord> records) {
        return records.stream().map(each -> text((byte[]) each.value())).toList();
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private static void produce(String topic, Map<String, Object> settings, String... values) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = broker.producer(settings)) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (String value : values) {
                sent.add(producer.send(new ProducerRecord<>(topic, value.getBytes(StandardCharsets.UTF_8))));
            }
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
        }
    }

    /** What a sink writes a source reads: keys, headers, times, messages without value, whatever the compression. */
    @Test
    void whatOneSendsTheOtherTakes() throws Exception {
        broker.create("round", 1, Map.of());
        long offset = 0;
        for (String compression : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
            KafkaSinkTask sink = sink("kafka.topic", "round", "kafka.producer.compression.type", compression);
            sink.put(List.of(
                    record(offset, compression.repeat(100), Map.of("tenant", "blue")),
                    new SinkRecord("mails", 0, null, "key", null, null, offset + 1, 1_700_000_000_001L, null)));
            sink.stop();
            offset += 2;
        }

        KafkaSourceTask source = source("round", "round");
        List<SourceRecord> records = poll(source, 10);
        source.stop();

        for (int i = 0; i < 10; i += 2) {
            SourceRecord full = records.get(i);
            assertThat(full.key()).isNull();
            assertThat(full.timestamp()).isEqualTo(1_700_000_000_000L);
            assertThat(full.headers().lastWithName("tenant").value()).isEqualTo("blue");
            assertThat(full.headers().lastWithName("georep-id").value()).isEqualTo("mails-0-" + i);
            assertThat(full.headers().lastWithName("kafka.source.offset").value())
                    .isEqualTo(Integer.toString(i));
            SourceRecord tombstone = records.get(i + 1);
            assertThat(text((byte[]) tombstone.key())).isEqualTo("key");
            assertThat(tombstone.value()).isNull();
        }
        assertThat(text((byte[]) records.get(8).value())).isEqualTo("zstd".repeat(100));
    }

    @Test
    void whatTheBrokerNeverTakesIsGivenUp() throws Exception {
        broker.create("small", 1, Map.of("max.message.bytes", "2000", "cleanup.policy", "compact"));
        broker.create("good", 1, Map.of());

        KafkaSinkTask task = sink("kafka.topic", "small");
        task.put(List.of(
                new SinkRecord("mails", 0, null, "key", null, "x".repeat(5_000), 1),
                record(2, "compacted topics want keys"),
                record(3, "fine", Map.of("kafka.topic", "good")),
                record(4, "where?", Map.of("kafka.topic", "no such topic"))));
        task.stop();

        assertThat(broker.messages("good")).hasSize(1);
        assertThat(broker.messages("small")).isEmpty();
        assertThat(new TreeSet<>(bench.refused)).hasSize(3).satisfies(refused -> {
            assertThat(refused.toString()).contains("RecordTooLargeException", "InvalidTopicException");
            assertThat(refused.toString()).contains("InvalidRecordException");
        });
    }

    @Test
    void theSinkTriesAgainUntilTheBrokerIsBack() throws Exception {
        broker.create("back", 1, Map.of());
        KafkaSinkTask task = sink("kafka.topic", "back");
        task.put(List.of(record(1, "first")));
        broker.kill();
        List<SinkRecord> batch = List.of(record(2, "second"), record(3, "third"));
        assertThatThrownBy(() -> task.put(batch))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("the brokers did not take a record");
        broker.start();

        putUntilTaken(task, batch);
        task.stop();

        assertThat(broker.messages("back").stream().map(each -> text(each.value())))
                .startsWith("first")
                .contains("second", "third");
    }

    @Test
    void theSourceGoesOnWhereTheGroupIs() throws Exception {
        broker.create("on", 1, Map.of());
        produce("on", Map.of(), "one", "two", "three");
        KafkaSourceTask first = source("on", "on");
        List<SourceRecord> records = poll(first, 3);
        first.commitRecord(records.get(0), null);
        first.commitRecord(records.get(2), null);
        first.stop();
        assertThat(broker.committed("on", new TopicPartition("on", 0))).isEqualTo(1);

        KafkaSourceTask second = source("on", "on");
        assertThat(values(poll(second, 2))).containsExactly("two", "three");
        second.stop();
    }

    @Test
    void theSourceGoesOnWhenTheBrokerWasAway() throws Exception {
        broker.create("away", 1, Map.of());
        produce("away", Map.of(), "one");
        KafkaSourceTask task = source("away", "away", "kafka.timeout.ms", "2000");
        List<SourceRecord> records = poll(task, 1);
        broker.stop();
        task.commitRecord(records.get(0), null);
        assertThat(task.poll()).isNull();
        broker.start();
        produce("away", Map.of(), "two");

        List<SourceRecord> more = poll(task, 1);

        assertThat(values(more)).contains("two");
        more.forEach(each -> task.commitRecord(each, null));
        task.stop();
        assertThat(broker.committed("away", new TopicPartition("away", 0))).isEqualTo(2);
    }

    /** A second task takes over partitions while records of them are on their way. */
    @Test
    void tasksShareTheTopicAndNothingIsLostWhenPartitionsMove() throws Exception {
        broker.create("shared", 4, Map.of());
        String[] all = new String[200];
        for (int i = 0; i < all.length; i++) {
            all[i] = "message " + i;
        }
        produce("shared", Map.of("batch.size", 100), all);
        String small = "kafka.consumer.max.poll.records";
        KafkaSourceTask first = source("shared", "shared", small, "10");
        List<SourceRecord> open = poll(first, 20);
        KafkaSourceTask second = source("shared", "shared", small, "10");
        List<String> safe = new ArrayList<>();
        boolean moved = false;
        while (new TreeSet<>(safe).size() < all.length) {
            for (KafkaSourceTask task : List.of(first, second)) {
                List<SourceRecord> polled = task.poll();
                moved |= task == second && polled != null;
                for (SourceRecord each : polled == null ? List.<SourceRecord>of() : polled) {
                    task.commitRecord(each, null);
                    safe.add(text((byte[]) each.value()));
                }
            }
            // What the first one took before is safe only now, perhaps after it has lost the partition.
            for (SourceRecord each : open) {
                first.commitRecord(each, null);
                safe.add(text((byte[]) each.value()));
            }
            open = List.of();
        }
        first.stop();
        second.stop();

        assertThat(moved).as("the second task got partitions").isTrue();
        long committed = 0;
        for (int partition = 0; partition < 4; partition++) {
            committed += broker.committed("shared", new TopicPartition("shared", partition));
        }
        assertThat(committed).isEqualTo(all.length);
    }

    /** What a transaction did not commit is not taken. */
    @Test
    void abortedMessagesAreLeftOut() throws Exception {
        broker.create("transactions", 1, Map.of());
        try (KafkaProducer<byte[], byte[]> producer = broker.producer(Map.of("transactional.id", "t"))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("transactions", "aborted".getBytes(StandardCharsets.UTF_8)))
                    .get();
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("transactions", "done".getBytes(StandardCharsets.UTF_8)))
                    .get();
            producer.commitTransaction();
        }

        KafkaSourceTask task = source("transactions", "transactions");
        List<SourceRecord> records = poll(task, 1);

        assertThat(values(records)).containsExactly("done");
        task.commitRecord(records.get(0), null);
        task.stop();
        assertThat(broker.messages("transactions"))
                .extracting(ConsumerRecord::offset)
                .containsExactly(2L);
        assertThat(broker.committed("transactions", new TopicPartition("transactions", 0)))
                .isEqualTo(3);
    }
}
