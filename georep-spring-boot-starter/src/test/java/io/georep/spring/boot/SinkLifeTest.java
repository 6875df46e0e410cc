package io.georep.spring.boot;

import static io.georep.spring.boot.SinkBench.SOON;
import static io.georep.spring.boot.SinkBench.forwarded;
import static io.georep.spring.boot.SinkBench.recording;
import static io.georep.spring.boot.SinkBench.send;
import static io.georep.spring.boot.SinkBench.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.spring.Connectors;
import io.georep.spring.Connectors.State;
import io.georep.spring.connect.ConnectHost;
import io.georep.spring.connect.RecordingSink;
import io.georep.spring.connect.RecordingSink.Diary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.connector.ConnectorContext;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** How sinks start, change and end. */
@Timeout(60)
class SinkLifeTest {
    @TempDir
    Path directory;

    @Test
    void aConnectorThatRefusesItsSettingsIsStartedAgain() {
        Diary diary = RecordingSink.diary("rec");
        diary.refuses = true;
        recording().run(context -> {
            assertThat(context).hasNotFailed();
            await().atMost(SOON).until(() -> status(context).state() == State.FAILED);
            diary.refuses = false;
            await().atMost(SOON).until(() -> status(context).state() == State.RUNNING);
            assertThat(status(context).troubled()).isFalse();
        });
    }

    @Test
    void aConnectorMayChangeItsTasksAndReportAnError() {
        Diary diary = RecordingSink.diary("rec");
        diary.tasks = 1;
        recording("tasks.max=2").run(context -> {
            // A task that is ended before its thread runs never starts.
            await().atMost(SOON).until(() -> starts(diary) == 1);
            diary.tasks = 2;
            diary.context.requestTaskReconfiguration();
            await().atMost(SOON).until(() -> starts(diary) == 3);
            assertThat(status(context).tasks()).hasSize(2);

            diary.context.raiseError(new IllegalStateException("lost"));
            await().atMost(SOON).until(() -> starts(diary) == 5);
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);

            diary.tasks = 3;
            diary.context.requestTaskReconfiguration();
            await().atMost(SOON).until(() -> status(context).state() == State.FAILED);
        });
    }

    /** Entries in its hands would wait for nobody, and be shown nowhere. */
    @Test
    void aConnectorWithoutTasksTakesNothing() {
        Diary diary = RecordingSink.diary("rec");
        diary.tasks = -1;
        recording().run(context -> {
            await().atMost(SOON).until(() -> status(context).state() == State.RUNNING);
            send(context, "one");
            assertThat(status(context).troubled()).isTrue();
            assertThat(status(context).problem()).contains("no tasks");

            diary.tasks = 1;
            diary.context.requestTaskReconfiguration();
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            assertThat(status(context).troubled()).isFalse();
            assertThat(SinkBench.outbox(context).statistics().delivered()).isEqualTo(1);
        });
    }

    /** Spring stops and starts again what a context that pauses has. */
    @Test
    void aConnectorThatIsStartedWhileItsEndHangsHasOneThread() {
        Diary diary = RecordingSink.diary("rec");
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        diary.start = () -> {
            hangs.countDown();
            awaitUninterrupted(released);
        };
        recording().withPropertyValues("georep.close-timeout=1ms").run(context -> {
            ConnectHost host = context.getBean(ConnectHost.class);
            hangs.await();
            host.stop(true);
            host.start(true);
            try {
                assertThat(threads("georep-connect-rec")).isEqualTo(1);
            } finally {
                released.countDown();
            }
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            assertThat(status(context).state()).isEqualTo(State.RUNNING);
            host.stop(true);
            assertThat(threads("georep-connect-rec")).isZero();
            host.start(true);
            send(context, "two");
            await().atMost(SOON).until(() -> forwarded(context) == 2);
        });
    }

    private static long starts(Diary diary) {
        return diary.events.stream().filter("start"::equals).count();
    }

    private static long threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .count();
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Else it would take a processor for itself, and its tasks would get nowhere. */
    @Test
    void aConnectorThatAlwaysWantsOtherTasksGetsThemNowAndThen() {
        Diary diary = RecordingSink.diary("rec");
        Queue<Long> asked = new ConcurrentLinkedQueue<>();
        diary.taskConfigs = host -> {
            asked.add(System.nanoTime());
            diary.tasks = 1 + asked.size() % 2;
            host.requestTaskReconfiguration();
        };
        recording("tasks.max=2").run(context -> {
            long begun = System.nanoTime();
            await().atMost(SOON).until(() -> asked.size() > 6);
            assertThat(System.nanoTime() - begun).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);
        });
    }

    /** Such as the thread that watches the tables of a database, which its stop interrupts. */
    @Test
    void whatAnEarlierLifeOfAConnectorRaisesDoesNotEndTheNext() {
        Diary diary = RecordingSink.diary("rec");
        recording().run(context -> {
            await().atMost(SOON).until(() -> starts(diary) == 1);
            ConnectorContext earlier = diary.context;
            context.getBean(Connectors.class).restart("rec");
            await().atMost(SOON)
                    .until(() -> diary.context != earlier && status(context).state() == State.RUNNING);

            earlier.raiseError(new IllegalStateException("interrupted"));
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            context.getBean(Connectors.class).pause("rec"); // it sees both
            await().atMost(SOON).until(() -> status(context).state() == State.PAUSED);
            assertThat(diary.events).containsExactly("start", "close", "stop", "start");
        });
    }

    @Test
    void aTaskMayPauseItsPartition() {
        Diary diary = RecordingSink.diary("rec");
        AtomicReference<SinkTaskContext> host = new AtomicReference<>();
        diary.put = (task, records) -> {
            host.set(task.host());
            if (!records.isEmpty() && diary.records.isEmpty()) {
                task.host().pause(task.host().assignment().toArray(new TopicPartition[0]));
            }
        };
        recording().run(context -> {
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            send(context, "two");
            await().during(Duration.ofMillis(200)).atMost(SOON).until(() -> diary.records.size() == 1);

            host.get().resume(host.get().assignment().toArray(new TopicPartition[0]));
            await().atMost(SOON).until(() -> forwarded(context) == 2);
        });
    }

    /** Else they would keep each other awake, and take the processor for themselves. */
    @Test
    void tasksThatAlwaysAskForTheirCommitWaitForEntries() {
        Diary diary = RecordingSink.diary("rec");
        AtomicInteger puts = new AtomicInteger();
        diary.put = (task, records) -> {
            puts.incrementAndGet();
            task.host().requestCommit();
        };
        diary.preCommit = (task, current) -> {
            task.host().requestCommit();
            return current;
        };
        recording("tasks.max=2", "offset.flush.interval.ms=3600000").run(context -> {
            await().atMost(SOON).until(() -> starts(diary) == 2);
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            await().during(Duration.ofMillis(200)).atMost(SOON).until(() -> puts.get() < 5);
        });
    }

    @Test
    void operatorsPauseStopRestartAndResume() {
        Diary diary = RecordingSink.diary("rec");
        recording().run(context -> {
            Connectors connectors = context.getBean(Connectors.class);
            await().atMost(SOON).until(() -> status(context).state() == State.RUNNING);
            connectors.pause("rec");
            await().atMost(SOON).until(() -> status(context).state() == State.PAUSED);
            send(context, "one");
            connectors.resume("rec");
            await().atMost(SOON).until(() -> forwarded(context) == 1);

            connectors.stop("rec");
            await().atMost(SOON).until(() -> status(context).state() == State.STOPPED);
            assertThat(diary.events).containsExactly("start", "close", "stop");
            send(context, "two");
            connectors.resume("rec");
            await().atMost(SOON).until(() -> forwarded(context) == 2);
            connectors.restart("rec");
            await().atMost(SOON).until(() -> starts(diary) == 3);
            assertThat(diary.values()).containsExactly("one", "two");
        });
    }

    @Test
    void whatIsNotFlushedAtTheEndIsThereAfterTheNextStart() {
        Diary diary = RecordingSink.diary("rec");
        diary.preCommit = (task, current) -> Map.of();
        ApplicationContextRunner onDisk = recording()
                .withPropertyValues(
                        "georep.durability=os", "georep.f=0", "georep.data-dir=" + directory.resolve("data"));
        onDisk.run(context -> {
            send(context, "one");
            await().atMost(SOON).until(() -> diary.records.size() == 1);
        });
        long before = diary.records.get(0).kafkaOffset();

        Diary after = RecordingSink.diary("rec");
        onDisk.run(context -> {
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            assertThat(after.values()).containsExactly("one");
            assertThat(after.records.get(0).kafkaOffset()).isGreaterThan(before);
            assertThat(context.getBean(GeoRepNode.class).state()).isNotNull();
        });
    }
}
