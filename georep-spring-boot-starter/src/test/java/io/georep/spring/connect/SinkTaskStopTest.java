package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.keys.KeySpace;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.connect.connector.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A task of a sink that ends later than its stop waits for it. */
@Timeout(60)
class SinkTaskStopTest {
    private static final ClassLoader HERE = SinkTaskStopTest.class.getClassLoader();
    private static final Map<String, String> SETTINGS = Map.of(
            "name", "late",
            "connector.class", RecordingSink.class.getName(),
            "topics", "sms",
            "offset.flush.interval.ms", "3600000",
            "value.converter", "org.apache.kafka.connect.storage.StringConverter");

    private final CountDownLatch writes = new CountDownLatch(1);
    private final CompletableFuture<Void> written = new CompletableFuture<>();
    private final ConnectorSettings settings = ConnectorSettings.of("late", SETTINGS);
    private final SinkIntake intake = new SinkIntake(settings.topics(), 10, 1_000_000);
    private final Class<? extends Task> task = RecordingSink.RecordingTask.class;
    private final SinkTaskRunner runner = new SinkTaskRunner(
            0,
            settings,
            SETTINGS,
            new TaskParts(settings, new Plugins(HERE, List.of()), RecordingSink.class, task, 0, new LongAdder()),
            intake,
            OffsetNumbers.open(slowDisk(), "late", System::currentTimeMillis, Duration.ofMinutes(1)),
            new SetAside(settings, 0, 0, outbox -> null, intake),
            false);

    /** A disk that answers when the test says so. */
    private KeySpace slowDisk() {
        return (KeySpace) Proxy.newProxyInstance(HERE, new Class<?>[] {KeySpace.class}, (space, method, arguments) -> {
            if (method.getName().equals("get")) {
                return CompletableFuture.completedFuture(null);
            }
            writes.countDown();
            return written;
        });
    }

    /** The task looks whether it is to end before its commit, and would wait for entries after that. */
    @Test
    void aTaskThatIsStoppedDuringItsCommitEnds() throws Exception {
        written.complete(null);
        CountDownLatch commits = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        RecordingSink.Diary diary = RecordingSink.diary("late");
        diary.put = (task, records) -> task.host().requestCommit();
        diary.preCommit = (task, current) -> {
            commits.countDown();
            await(told);
            return current;
        };
        Endings ends = new Endings();
        intake.open();
        runner.begin();
        intake.add("sms", List.of(SinkIntakeTest.entryOf("sms", ends)));
        commits.await();

        runner.stop();
        intake.close();
        told.countDown();

        assertThat(runner.awaitEnd(20_000)).isTrue();
        assertThat(ends.forwarded).hasSize(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void givesBackWhatItTookAndHadNotNumbered() throws Exception {
        RecordingSink.Diary diary = RecordingSink.diary("late");
        diary.preCommit = (task, current) -> Map.of();
        Endings ends = new Endings();
        SinkEntry entry = SinkIntakeTest.entryOf("sms", ends);
        intake.open();
        runner.begin();
        intake.add("sms", List.of(entry));
        writes.await(); // for the numbers

        runner.stop();
        intake.close();
        runner.giveBack(); // the stop has waited long enough
        written.complete(null);

        assertThat(runner.awaitEnd(60_000)).isTrue();
        assertThat(diary.records).isEmpty();
        assertThat(ends.failed).hasSize(1);
    }
}
