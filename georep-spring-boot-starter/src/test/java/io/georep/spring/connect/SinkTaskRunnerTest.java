package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.keys.KeySpace;
import io.georep.logging.LimitedLog;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What a task of a sink took stays until it is flushed. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class SinkTaskRunnerTest {
    private static final ClassLoader HERE = SinkTaskRunnerTest.class.getClassLoader();
    private static final Map<String, String> SETTINGS = Map.of(
            "name", "kept",
            "connector.class", RecordingSink.class.getName(),
            "topics", "sms",
            "offset.flush.interval.ms", "3600000",
            "georep.restart.delay.min.ms", "10",
            "value.converter", "org.apache.kafka.connect.storage.StringConverter");

    private final AtomicInteger errors = new AtomicInteger();
    private final ConnectorSettings settings = ConnectorSettings.of("kept", SETTINGS);
    private final SinkIntake intake = new SinkIntake(settings.topics(), 10, 1_000_000);
    private final RecordingSink.Diary diary = RecordingSink.diary("kept");
    private final Endings ends = new Endings();
    private final SinkTaskRunner runner = new SinkTaskRunner(
            0,
            settings,
            SETTINGS,
            new TaskParts(
                    settings,
                    new Plugins(HERE, List.of()),
                    RecordingSink.class,
                    RecordingSink.RecordingTask.class,
                    0,
                    new LongAdder()),
            intake,
            OffsetNumbers.open(disk(), "kept", System::currentTimeMillis, Duration.ofMinutes(1)),
            new SetAside(settings, 0, 0, outbox -> null, intake),
            false);

    private KeySpace disk() {
        return (KeySpace) Proxy.newProxyInstance(HERE, new Class<?>[] {KeySpace.class}, (space, method, arguments) -> {
            if (method.getName().equals("put") && errors.getAndDecrement() > 0) {
                throw new OutOfMemoryError("for the test");
            }
            return CompletableFuture.completedFuture(null);
        });
    }

    private void begin() {
        intake.open();
        runner.begin();
        intake.add("sms", List.of(SinkIntakeTest.entryOf("sms", ends)));
    }

    @AfterEach
    void stop() {
        runner.stop();
        assertThat(runner.awaitEnd(30_000)).isTrue();
    }

    /** Its flush failed, and says so by that alone. */
    @Test
    void whatASinkWantsAgainWhileItFlushesIsNotForwarded() {
        AtomicInteger flushes = new AtomicInteger();
        diary.put = (task, records) -> task.host().requestCommit();
        diary.preCommit = (task, current) -> {
            if (!diary.records.isEmpty() && flushes.getAndIncrement() == 0) {
                SinkRecord lost = diary.records.get(0);
                current.keySet().forEach(partition -> task.host().offset(partition, lost.kafkaOffset()));
            }
            return current;
        };

        begin();

        await().until(() -> flushes.get() > 1 && intake.inHand() == 0);
        assertThat(diary.records).hasSize(2);
        assertThat(ends.forwarded).hasSize(1);
    }

    /** It would be put again without end, as fast as it fails. */
    @Test
    void aSinkThatGoesBackAndWantsARetryIsPutAgainAfterAPause() {
        List<Long> puts = new CopyOnWriteArrayList<>();
        diary.put = (task, records) -> {
            if (!records.isEmpty()) {
                puts.add(System.nanoTime());
                SinkRecord first = records.iterator().next();
                task.host().offset(new TopicPartition("sms", 0), first.kafkaOffset());
                if (puts.size() < 3) {
                    throw new RetriableException("for the test");
                }
            }
        };

        begin();

        await().until(() -> puts.size() > 2);
        assertThat(puts.get(1) - puts.get(0)).isGreaterThan(90_000_000);
        assertThat(puts.get(2) - puts.get(1)).isGreaterThan(190_000_000);
    }

    /** It may do so in each put. */
    @Test
    void aSinkThatAsksForWhatIsNotItsOwnDoesNotFillTheLog(CapturedOutput output) {
        AtomicInteger flushes = new AtomicInteger();
        diary.put = (task, records) -> {
            for (int partition = 1; partition <= 50; partition++) {
                task.host().offset(new TopicPartition("sms", partition), 1);
                task.host().offset(new TopicPartition("sms", 0), partition);
            }
            task.host().requestCommit();
        };
        diary.preCommit = (task, current) -> {
            flushes.incrementAndGet();
            Map<TopicPartition, OffsetAndMetadata> flushed = new HashMap<>(current);
            for (int partition = 1; partition <= 50; partition++) {
                flushed.put(new TopicPartition("sms", partition), new OffsetAndMetadata(1));
            }
            return flushed;
        };

        begin();

        await().until(() -> flushes.get() > 1);
        assertThat(output.toString().lines().filter(line -> line.contains("Task kept-0 ")))
                .isNotEmpty()
                .hasSizeLessThanOrEqualTo(LimitedLog.LINES);
    }

    @Test
    void whatItTookBeforeAnErrorIsNotLost() {
        errors.set(1);
        diary.put = (task, records) -> task.host().requestCommit();

        begin();

        await().until(() -> diary.records.size() == 1 && intake.inHand() == 0);
        assertThat(ends.forwarded).hasSize(1);
    }
}
