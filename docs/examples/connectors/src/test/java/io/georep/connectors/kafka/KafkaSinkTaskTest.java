package io.georep.connectors.kafka;

import static io.georep.connectors.TaskBench.putUntilTaken;
import static io.georep.connectors.TaskBench.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.connectors.TaskBench;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

/** The sink with Kafka's own stand-in for a producer; {@code KafkaBrokerTest} has a broker. */
final class KafkaSinkTaskTest {
    private final TaskBench bench = new TaskBench(true);
    private final List<ProducerRecord<byte[], byte[]>> arrived = new ArrayList<>();
    private final Map<String, RuntimeException> failing = new HashMap<>();
    private final List<Map<String, Object>> made = new ArrayList<>();
    private boolean silent;
    private boolean throwing;

    /** What brokers say to a record is decided by its value. */
    private final class Scripted extends MockProducer<byte[], byte[]> {
        private final List<ProducerRecord<byte[], byte[]>> pending = new ArrayList<>();

        Scripted() {
            super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> message, Callback callback) {
            if (throwing) {
                throw new KafkaException("in an error state", new OutOfOrderSequenceException("7"));
            }
            if (silent) {
                arrived.add(message);
                return CompletableFuture.failedFuture(new TimeoutException("Topic mails not present in metadata"));
            }
            pending.add(message);
            return super.send(message, callback);
        }

        @Override
        public synchronized void flush() {
            for (ProducerRecord<byte[], byte[]> message : pending) {
                RuntimeException failure = failing.get(text(message.value()));
                if (failure == null) {
                    arrived.add(message);
                    completeNext();
                } else {
                    errorNext(failure);
                }
            }
            pending.clear();
        }
    }

    private KafkaSinkTask start(String... settings) {
        Map<String, String> all =
                new HashMap<>(Map.of("kafka.bootstrap.servers", "localhost:1", "retry.backoff.ms", "1"));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        return bench.start(
                new KafkaSinkTask(properties -> {
                    made.add(properties);
                    return new Scripted();
                }),
                all);
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private List<String> values() {
        return arrived.stream().map(each -> text(each.value())).toList();
    }

    @Test
    void aMessageHasKeyValueHeadersTimeAndId() {
        ConnectHeaders headers = new ConnectHeaders();
        headers.addString("tenant", "blue");
        headers.addBytes("raw", new byte[] {(byte) 0xff});
        headers.add("nothing", null, null);
        headers.addInt("count", 7);
        headers.addString("georep.id", "ams-1/7");
        SinkRecord full = new SinkRecord(
                "mails", 0, Schema.STRING_SCHEMA, "k", Schema.STRING_SCHEMA, "caf\u00e9", 1, 1_700L, null, headers);
        SinkRecord tombstone = new SinkRecord("mails", 0, null, new byte[] {1}, null, null, 2);
        SinkRecord keyless = record(3, "text", Map.of("kafka.topic", "other"));

        start().put(List.of(full, tombstone, keyless));

        ProducerRecord<byte[], byte[]> first = arrived.get(0);
        assertThat(first.topic()).isEqualTo("mails");
        assertThat(first.key()).asString().isEqualTo("k");
        assertThat(first.value()).asString(StandardCharsets.UTF_8).isEqualTo("caf\u00e9");
        assertThat(first.timestamp()).isEqualTo(1_700L);
        assertThat(first.headers())
                .extracting(Header::key)
                .containsExactly("tenant", "raw", "nothing", "count", "georep-id");
        assertThat(first.headers().lastHeader("raw").value()).containsExactly(0xff);
        assertThat(first.headers().lastHeader("nothing").value()).isNull();
        assertThat(first.headers().lastHeader("count").value()).asString().isEqualTo("7");
        assertThat(first.headers().lastHeader("georep-id").value()).asString().isEqualTo("ams-1/7");
        assertThat(arrived.get(1).value()).isNull();
        assertThat(arrived.get(1).key()).containsExactly(1);
        assertThat(arrived.get(1).headers().lastHeader("georep-id").value())
                .asString()
                .isEqualTo("mails-0-2");
        assertThat(arrived.get(2).key()).isNull();
        assertThat(arrived.get(2).topic()).isEqualTo("other");
        assertThat(arrived.get(2).headers()).extracting(Header::key).containsExactly("georep-id");
    }

    @Test
    void theTopicOfTheSettingsStandsAboveTheRecordsOwn() {
        start("kafka.topic", "alarms").put(List.of(record(1, "text")));

        assertThat(arrived).extracting(ProducerRecord::topic).containsExactly("alarms");
    }

    @Test
    void onlyWhatDidNotArriveIsSentAgain() {
        KafkaSinkTask task = start();
        List<SinkRecord> batch = List.of(record(1, "first"), record(2, "second"), record(3, "third"));
        failing.put("second", new NotEnoughReplicasException("1 of 2"));
        assertThatThrownBy(() -> task.put(batch))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("NotEnoughReplicasException: 1 of 2");
        failing.clear();

        putUntilTaken(task, batch);

        assertThat(values()).containsExactly("first", "third", "second");
        assertThat(made).hasSize(2);
    }

    @Test
    void whatKafkaNeverTakesIsGivenUpAndTheRestIsSent() {
        failing.put("large", new RecordTooLargeException("2 MB"));

        start().put(List.of(record(1, "large"), record(2, 42), record(3, "text")));

        assertThat(values()).containsExactly("text");
        assertThat(bench.refused)
                .containsExactly(
                        "2: the record's value is neither bytes nor text but a Integer: set value.converter to a converter"
                                + " for bytes or text",
                        "1: Kafka refuses the record: RecordTooLargeException: 2 MB");
    }

    @Test
    void aClientThatTheBrokersRefuseFailsAndSaysWhatToLookAt() {
        failing.put("text", new ClusterAuthorizationException("no"));

        assertThatThrownBy(() -> start().put(List.of(record(1, "text"))))
                .isInstanceOf(ConnectException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContaining("look at kafka.producer.security.protocol");
    }

    /** The producer waits for the brokers in each call, so a batch of 500 would take 500 times as long. */
    @Test
    void brokersThatDoNotAnswerAreAskedForOneRecord() {
        silent = true;

        assertThatThrownBy(() -> start().put(List.of(record(1, "first"), record(2, "second"))))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("not present in metadata");
        assertThat(values()).containsExactly("first");
    }

    @Test
    void settingsOfTheProducerPassExceptThoseThatWouldLoseRecords() {
        start(
                        "kafka.producer.linger.ms", "20",
                        "kafka.producer.acks", "0",
                        "kafka.producer.enable.idempotence", "false",
                        "kafka.timeout.ms", "7000")
                .put(List.of(record(1, "text")));

        assertThat(made.get(0))
                .containsEntry("linger.ms", "20")
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .containsEntry("max.block.ms", 7_000)
                .containsEntry("bootstrap.servers", List.of("localhost:1"));
        assertThat(KafkaSinkTask.CONFIG.names())
                .contains("kafka.producer.sasl.jaas.config", "kafka.producer.compression.type")
                .doesNotContain("kafka.producer.acks", "kafka.producer.transactional.id");
    }

    /** A name service that is away must not fail a task for good. */
    @Test
    void namesThatCannotBeLookedUpNowAreLookedUpAgain() {
        KafkaSinkTask task =
                bench.start(new KafkaSinkTask(), Map.of("kafka.bootstrap.servers", "nowhere.invalid:9092"));

        assertThatThrownBy(() -> task.put(List.of(record(1, "text"))))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("no broker's name can be looked up");
    }

    @Test
    void settingsThatTheProducerRefusesAreSaid() {
        KafkaSinkTask task = bench.start(
                new KafkaSinkTask(),
                Map.of(
                        "kafka.bootstrap.servers", "localhost:1",
                        "kafka.producer.max.in.flight.requests.per.connection", "6"));

        assertThatThrownBy(() -> task.put(List.of(record(1, "text"))))
                .isInstanceOf(ConnectException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContaining("Kafka's client refuses its settings")
                .hasMessageContaining("max.in.flight.requests.per.connection");
    }

    /** After a failure for good the producer throws at once. */
    @Test
    void aProducerThatThrowsIsReplacedByAnother() {
        KafkaSinkTask task = start();
        throwing = true;
        List<SinkRecord> batch = List.of(record(1, "text"));
        assertThatThrownBy(() -> task.put(batch))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("OutOfOrderSequenceException: 7");
        throwing = false;

        putUntilTaken(task, batch);

        assertThat(values()).containsExactly("text");
        assertThat(made).hasSize(2);
    }
}
