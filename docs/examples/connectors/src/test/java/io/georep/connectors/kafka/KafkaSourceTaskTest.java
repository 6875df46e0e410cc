package io.georep.connectors.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The source with Kafka's own stand-in for a consumer; {@code KafkaBrokerTest} has a broker. */
@Timeout(30)
final class KafkaSourceTaskTest {
    private static final TopicPartition P0 = new TopicPartition("mails", 0);
    private static final TopicPartition P1 = new TopicPartition("mails", 1);

    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    private final List<Map<String, Object>> made = new ArrayList<>();

    private KafkaSourceTask start(String... settings) throws InterruptedException {
        Map<String, String> all = new HashMap<>(Map.of(
                "kafka.bootstrap.servers", "localhost:1",
                "kafka.topics", "mails",
                "kafka.group.id", "georep",
                "kafka.commit.interval.ms", "0"));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        KafkaSourceTask task = new KafkaSourceTask(properties -> {
            made.add(properties);
            return consumer;
        });
        task.start(all);
        consumer.schedulePollTask(() -> {
            consumer.rebalance(List.of(P0, P1));
            consumer.updateBeginningOffsets(Map.of(P0, 0L, P1, 0L));
        });
        assertThat(task.poll()).isNull();
        return task;
    }

    private static ConsumerRecord<byte[], byte[]> message(TopicPartition of, long offset) {
        return new ConsumerRecord<>(of.topic(), of.partition(), offset, null, new byte[] {(byte) offset});
    }

    private List<SourceRecord> poll(KafkaSourceTask task, TopicPartition of, long... offsets)
            throws InterruptedException {
        for (long offset : offsets) {
            consumer.addRecord(message(of, offset));
        }
        return task.poll();
    }

    private Long committed(TopicPartition of) {
        OffsetAndMetadata offset = consumer.committed(Set.of(of)).get(of);
        return offset == null ? null : offset.offset();
    }

    @Test
    void aMessageBecomesARecord() throws Exception {
        KafkaSourceTask task = start("topic", "alarms");
        RecordHeaders headers = new RecordHeaders();
        headers.add("tenant", "bl\u00e5".getBytes(StandardCharsets.UTF_8));
        headers.add("raw", new byte[] {(byte) 0xff});
        headers.add("nothing", null);
        consumer.addRecord(new ConsumerRecord<>(
                "mails",
                1,
                4,
                1_700L,
                TimestampType.CREATE_TIME,
                1,
                1,
                new byte[] {1},
                new byte[] {2},
                headers,
                Optional.empty()));

        SourceRecord record = task.poll().get(0);

        assertThat(record.topic()).isEqualTo("alarms");
        assertThat(record.kafkaPartition()).isNull();
        assertThat((byte[]) record.key()).containsExactly(1);
        assertThat((byte[]) record.value()).containsExactly(2);
        assertThat(record.timestamp()).isEqualTo(1_700L);
        assertThat(record.headers().lastWithName("tenant").value()).isEqualTo("bl\u00e5");
        assertThat((byte[]) record.headers().lastWithName("raw").value()).containsExactly(0xff);
        assertThat(record.headers().lastWithName("nothing").value()).isNull();
        assertThat(record.headers().lastWithName("kafka.source.topic").value()).isEqualTo("mails");
        assertThat(record.headers().lastWithName("kafka.source.partition").value())
                .isEqualTo("1");
        assertThat(record.headers().lastWithName("kafka.source.offset").value()).isEqualTo("4");
    }

    @Test
    void aTombstoneHasNoValueAndHeadersMayStayBytes() throws Exception {
        KafkaSourceTask task = start("kafka.headers", "bytes");
        consumer.addRecord(new ConsumerRecord<>("mails", 0, 0, new byte[] {1}, null));

        SourceRecord record = task.poll().get(0);

        assertThat(record.topic()).isEqualTo("mails");
        assertThat(record.value()).isNull();
        assertThat(record.valueSchema()).isEqualTo(Schema.OPTIONAL_BYTES_SCHEMA);
        assertThat(record.headers().lastWithName("kafka.source.topic").value()).isInstanceOf(byte[].class);
    }

    @Test
    void theGroupGetsWhatIsSafeAndNothingBeyond() throws Exception {
        KafkaSourceTask task = start();
        List<SourceRecord> records = poll(task, P0, 0, 1, 2);

        task.commitRecord(records.get(1), null);
        assertThat(task.poll()).isNull();
        assertThat(committed(P0)).isNull();

        task.commitRecord(records.get(0), null);
        assertThat(task.poll()).isNull();
        assertThat(committed(P0)).isEqualTo(2);

        task.commitRecord(records.get(2), null);
        task.stop();
        assertThat(consumer.closed()).isTrue();
    }

    @Test
    void whatIsSafeIsCommittedBeforeTheConsumerIsClosed() throws Exception {
        KafkaSourceTask task = start("kafka.commit.interval.ms", "600000");
        List<SourceRecord> records = poll(task, P0, 0, 1);
        task.commitRecord(records.get(0), null);
        Map<TopicPartition, OffsetAndMetadata> last = new HashMap<>();
        MockConsumer<byte[], byte[]> watched = consumer;
        assertThat(committed(P0)).isNull();

        task.stop();

        last.putAll(lastCommit(watched));
        assertThat(last.get(P0).offset()).isEqualTo(1);
    }

    /** A closed one answers no more questions. */
    private static Map<TopicPartition, OffsetAndMetadata> lastCommit(MockConsumer<byte[], byte[]> of) throws Exception {
        var field = MockConsumer.class.getDeclaredField("committed");
        field.setAccessible(true);
        @SuppressWarnings("unchecked")
        var committed = (Map<TopicPartition, OffsetAndMetadata>) field.get(of);
        return committed;
    }

    /** Another member begins where this one says, so it waits a moment for what is on its way. */
    @Test
    void aPartitionThatGoesAwayIsCommittedUpToWhatBecameSafeMeanwhile() throws Exception {
        KafkaSourceTask task = start("kafka.commit.interval.ms", "600000");
        List<SourceRecord> records = poll(task, P1, 0, 1);
        CountDownLatch revoking = new CountDownLatch(1);
        Thread elsewhere = new Thread(() -> {
            try {
                revoking.await();
                records.forEach(record -> task.commitRecord(record, null));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        elsewhere.start();
        consumer.schedulePollTask(() -> {
            revoking.countDown();
            consumer.rebalance(List.of(P0));
        });

        assertThat(task.poll()).isNull();

        elsewhere.join(TimeUnit.SECONDS.toMillis(10));
        assertThat(lastCommit(consumer).get(P1).offset()).isEqualTo(2);
    }

    @Test
    void aMessageOfAPartitionThatIsGoneIsNotCommitted() throws Exception {
        KafkaSourceTask task = start();
        List<SourceRecord> records = poll(task, P1, 0);
        consumer.schedulePollTask(() -> consumer.rebalance(List.of(P0)));
        assertThat(task.poll()).isNull();

        task.commitRecord(records.get(0), null);
        assertThat(task.poll()).isNull();

        assertThat(lastCommit(consumer)).doesNotContainKey(P1);
    }

    @Test
    void stopEndsAPollThatWaits() throws Exception {
        KafkaSourceTask task = start();
        consumer.schedulePollTask(consumer::wakeup);

        assertThat(task.poll()).isNull();
        task.stop();

        assertThat(task.poll()).isNull();
        assertThat(consumer.closed()).isTrue();
    }

    @Test
    void rightsThatAreMissingFailTheTaskAndSayWhatToLookAt() throws Exception {
        KafkaSourceTask task = start();
        consumer.setPollException(new GroupAuthorizationException("georep"));

        assertThatThrownBy(task::poll)
                .isInstanceOf(ConnectException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContaining("GroupAuthorizationException")
                .hasMessageContaining("user's rights");
    }

    @Test
    void theConsumerLeavesNothingOut() throws Exception {
        KafkaSourceTask task =
                start("kafka.consumer.enable.auto.commit", "true", "kafka.consumer.max.poll.records", "7");

        assertThat(made.get(0))
                .containsEntry("enable.auto.commit", false)
                .containsEntry("auto.offset.reset", "earliest")
                .containsEntry("isolation.level", "read_committed")
                .containsEntry("max.poll.records", "7")
                .containsEntry("group.id", "georep");
        assertThat(KafkaSourceTask.CONFIG.names())
                .contains("kafka.consumer.sasl.jaas.config")
                .doesNotContain("kafka.consumer.enable.auto.commit");
        task.stop();
    }
}
