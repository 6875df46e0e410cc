package io.georep.connectors;

import static io.georep.connectors.TaskBench.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

final class SendingTaskTest {
    private final AtomicLong nanos = new AtomicLong();
    private final TaskBench bench = new TaskBench(true);
    private final List<Long> arrived = new ArrayList<>();
    private final Map<Long, Exception> failing = new HashMap<>();
    private boolean each = true;
    private Exception atConfirmation;
    private int disconnected;
    private final SendingTask task =
            bench.start(new Scripted(), Map.of("retry.backoff.ms", "100", "retry.backoff.max.ms", "350"));

    private final class Scripted extends SendingTask {
        Scripted() {
            super(nanos::get);
        }

        @Override
        protected AbstractConfig begin(Map<String, String> properties) {
            return new AbstractConfig(SendingTask.withPauses(new ConfigDef()), properties, false);
        }

        @Override
        protected void send(SinkRecord record) throws TemporaryFailure, RecordRefused {
            Exception failure = failing.get(record.kafkaOffset());
            if (failure instanceof TemporaryFailure temporary) {
                throw temporary;
            }
            if (failure instanceof RecordRefused refused) {
                throw refused;
            }
            arrived.add(record.kafkaOffset());
        }

        @Override
        protected void confirm() throws TemporaryFailure {
            if (atConfirmation instanceof TemporaryFailure temporary) {
                throw temporary;
            }
        }

        @Override
        protected boolean confirmsEach() {
            return each;
        }

        @Override
        protected void disconnect() {
            disconnected++;
        }
    }

    private static List<SinkRecord> batch(long first, int count) {
        List<SinkRecord> records = new ArrayList<>();
        for (long offset = first; offset < first + count; offset++) {
            records.add(record(offset, "text"));
        }
        return records;
    }

    private void assertFails(List<SinkRecord> records) {
        assertThatThrownBy(() -> task.put(records)).isInstanceOf(RetriableException.class);
    }

    private void pass(long millis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void sendsARepeatedBatchFromWhereItFailed() {
        failing.put(2L, new TemporaryFailure("away", null));
        assertFails(batch(0, 4));
        assertThat(disconnected).isEqualTo(1);
        failing.clear();
        pass(100);

        task.put(batch(0, 4));

        assertThat(arrived).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void aBatchWithTheSameNumbersAfterOneThatArrivedIsSent() {
        task.put(batch(0, 2));
        task.put(batch(0, 2));

        assertThat(arrived).containsExactly(0L, 1L, 0L, 1L);
    }

    @Test
    void sendsTheWholeBatchAgainWhenItsConfirmationFails() {
        each = false;
        failing.put(1L, new RecordRefused("never", null));
        atConfirmation = new TemporaryFailure("away", null);
        assertFails(batch(0, 3));
        atConfirmation = null;
        pass(100);

        task.put(batch(0, 3));

        assertThat(arrived).containsExactly(0L, 2L, 0L, 2L);
        assertThat(bench.refused).containsExactly("1: never");
    }

    @Test
    void sendsNothingWhileTheCircuitIsOpen() {
        failing.put(0L, new TemporaryFailure("away", null));
        assertFails(batch(0, 1));
        failing.clear();
        pass(99);

        assertFails(batch(0, 1));

        assertThat(arrived).isEmpty();
        assertThat(bench.timeout).isEqualTo(1);
        pass(1);
        task.put(batch(0, 1));
        assertThat(arrived).containsExactly(0L);
    }

    @Test
    void doublesThePauseUpToItsMaximumAndBeginsAnewAfterASuccess() {
        failing.put(0L, new TemporaryFailure("away", null));
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            assertFails(batch(0, 1));
            pauses.add(bench.timeout);
            pass(bench.timeout);
        }
        assertThat(pauses.subList(0, 4)).containsExactly(100L, 200L, 350L, 350L);
        assertThat(pauses.get(79)).isEqualTo(350L);
        failing.clear();
        task.put(batch(0, 1));
        failing.put(1L, new TemporaryFailure("away", null));

        assertFails(batch(1, 1));

        assertThat(bench.timeout).isEqualTo(100);
    }

    @Test
    void waitsAsLongAsTheServerAsks() {
        failing.put(0L, new TemporaryFailure("busy", Duration.ofSeconds(7), null));

        assertFails(batch(0, 1));

        assertThat(bench.timeout).isEqualTo(7_000);
    }

    @Test
    void reportsARefusedRecordOnceAndGoesOn() {
        failing.put(0L, new RecordRefused("never", null));
        failing.put(2L, new TemporaryFailure("away", null));
        assertFails(batch(0, 3));
        failing.remove(2L);
        pass(100);

        task.put(batch(0, 3));

        assertThat(bench.refused).containsExactly("0: never");
        assertThat(arrived).containsExactly(1L, 2L);
    }

    @Test
    void aRefusedRecordEndsTheTaskWhereNothingTakesIt() {
        SendingTask strict = new TaskBench(false).start(new Scripted(), Map.of());
        failing.put(0L, new RecordRefused("never", null));

        assertThatThrownBy(() -> strict.put(batch(0, 1)))
                .isInstanceOf(ConnectException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessage("never");
    }

    @Test
    void forgetsWhatWasSentOfPartitionsThatAreClosed() {
        failing.put(1L, new TemporaryFailure("away", null));
        assertFails(batch(0, 2));
        failing.clear();
        pass(100);

        task.close(List.of(new TopicPartition("mails", 0)));
        task.put(batch(0, 2));

        assertThat(arrived).containsExactly(0L, 0L, 1L);
    }

    /** Records of several topics may have the same place in each, and a transformation may give them one topic. */
    @Test
    void recordsOfTopicsThatATransformationMakesOneAreAllSent() {
        List<SinkRecord> batch = List.of(renamed("orders-eu", 5), renamed("orders-us", 5));

        task.put(batch);

        assertThat(arrived).containsExactly(5L, 5L);
        assertThat(batch)
                .extracting(record -> SentRecord.id(record, "none"))
                .containsExactly("orders-eu-0-5", "orders-us-0-5");
    }

    /** The worker knows partitions by the topics that they are of. */
    @Test
    void whatWasSentOfAPartitionThatIsGoneIsForgottenUnderItsOwnTopic() {
        failing.put(6L, new TemporaryFailure("away", null));
        List<SinkRecord> batch = List.of(renamed("orders-eu", 5), renamed("orders-eu", 6));
        assertThatThrownBy(() -> task.put(batch)).isInstanceOf(RetriableException.class);

        task.close(List.of(new TopicPartition("orders-eu", 0)));
        failing.clear();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        task.put(batch);

        assertThat(arrived).containsExactly(5L, 5L, 6L);
    }

    private static SinkRecord renamed(String topic, long offset) {
        return new SinkRecord(topic, 0, null, null, null, "text", offset)
                .newRecord("orders", 0, null, null, null, "text", null);
    }
}
