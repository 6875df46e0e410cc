package io.georep.spring.boot;

import static io.georep.spring.boot.SinkBench.SOON;
import static io.georep.spring.boot.SinkBench.aTaskFailed;
import static io.georep.spring.boot.SinkBench.actuator;
import static io.georep.spring.boot.SinkBench.alone;
import static io.georep.spring.boot.SinkBench.forwarded;
import static io.georep.spring.boot.SinkBench.outbox;
import static io.georep.spring.boot.SinkBench.recording;
import static io.georep.spring.boot.SinkBench.send;
import static io.georep.spring.boot.SinkBench.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.outbox.DeadLetters;
import io.georep.outbox.SendOptions;
import io.georep.spring.Outboxes;
import io.georep.spring.connect.RecordingSink;
import io.georep.spring.connect.RecordingSink.Diary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Sinks of Kafka Connect forward outboxes. */
@Timeout(180)
class SinkConnectorTest {
    @TempDir
    Path directory;

    @Test
    void kafkasOwnFileSinkForwardsAnOutbox() {
        Path file = directory.resolve("out.txt");
        alone().withPropertyValues(
                        "georep.connectors.files.connector.class=FileStreamSink",
                        "georep.connectors.files.topics=sms",
                        "georep.connectors.files.file=" + file,
                        "georep.connectors.files.offset.flush.interval.ms=50",
                        "georep.connectors.files.value.converter=StringConverter")
                .run(context -> {
                    send(context, "one", "two", "three");

                    await().atMost(SOON).until(() -> forwarded(context) == 3);
                    assertThat(Files.readAllLines(file)).containsExactlyInAnyOrder("one", "two", "three");
                });
    }

    @Test
    void aRecordHasKeyValueHeadersAndTime() {
        Diary diary = RecordingSink.diary("rec");
        recording("georep.id.header=entry").run(context -> {
            var id = outbox(context)
                    .send(
                            "hello".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                            SendOptions.defaults().header("connect.key", "42").header("tenant", "acme"))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);

            await().atMost(SOON).until(() -> !diary.records.isEmpty());
            SinkRecord record = diary.records.get(0);
            assertThat(record.topic()).isEqualTo("sms");
            assertThat(record.key()).isEqualTo("42");
            assertThat(record.value()).isEqualTo("hello");
            assertThat(record.timestamp())
                    .isCloseTo(System.currentTimeMillis(), org.assertj.core.data.Offset.offset(60_000L));
            assertThat(record.headers().lastWithName("tenant").value()).isEqualTo("acme");
            assertThat(record.headers().lastWithName("entry").value()).isEqualTo(id.toString());
        });
    }

    @Test
    void anEntryIsForwardedWhenTheSinkHasFlushedIt() {
        Diary diary = RecordingSink.diary("rec");
        AtomicLong flushed = new AtomicLong(Long.MAX_VALUE);
        List<Long> offsets = new ArrayList<>();
        diary.preCommit = (task, current) -> {
            Map.Entry<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> only =
                    current.entrySet().iterator().next();
            return flushed.get() == Long.MAX_VALUE
                    ? Map.of()
                    : Map.of(
                            only.getKey(),
                            new OffsetAndMetadata(
                                    Math.min(flushed.get(), only.getValue().offset())));
        };
        recording().run(context -> {
            send(context, "one", "two", "three");
            await().atMost(SOON).until(() -> diary.records.size() == 3);
            diary.records.forEach(record -> offsets.add(record.kafkaOffset()));
            assertThat(forwarded(context)).isZero();

            flushed.set(offsets.get(1));
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            flushed.set(offsets.get(2) + 1);
            await().atMost(SOON).until(() -> forwarded(context) == 3);
            assertThat(offsets).isSorted().doesNotHaveDuplicates();
        });
    }

    @Test
    void whatWasNotFlushedComesAgainAfterAFailureOfTheTask() {
        Diary diary = RecordingSink.diary("rec");
        AtomicBoolean broken = new AtomicBoolean(true);
        diary.put = (task, records) -> {
            if (!records.isEmpty() && broken.get()) {
                throw new ConnectException("the other side is down");
            }
        };
        recording().withConfiguration(AutoConfigurations.of(actuator())).run(context -> {
            send(context, "one");
            await().atMost(SOON).until(() -> aTaskFailed(context));
            assertThat(status(context).troubled()).isTrue();
            HealthIndicator health = context.getBean("georepConnectorsHealthIndicator", HealthIndicator.class);
            assertThat(health.health().getStatus().getCode()).isEqualTo("DOWN");
            assertThat(status(context).tasks().get(0).problem())
                    .contains("ConnectException")
                    .contains("started again")
                    .doesNotContain("the other side");

            broken.set(false);
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            assertThat(diary.values()).containsExactly("one");
            await().atMost(SOON).until(() -> !status(context).troubled());
            assertThat(diary.events).contains("close", "stop");
        });
    }

    @Test
    void aRetriableErrorRepeatsTheSameRecords() {
        Diary diary = RecordingSink.diary("rec");
        AtomicInteger attempts = new AtomicInteger();
        Set<Long> seen = new HashSet<>();
        diary.put = (task, records) -> {
            records.forEach(record -> seen.add(record.kafkaOffset()));
            if (!records.isEmpty() && attempts.incrementAndGet() <= 2) {
                task.host().timeout(1);
                throw new RetriableException("not now");
            }
        };
        recording().run(context -> {
            send(context, "one");

            await().atMost(SOON).until(() -> forwarded(context) == 1);
            assertThat(attempts).hasValue(3);
            assertThat(seen).hasSize(1);
            assertThat(diary.events).containsExactly("start");
        });
    }

    @Test
    void aSinkMayGoBackToWhatItHasNotFlushed() {
        Diary diary = RecordingSink.diary("rec");
        AtomicBoolean once = new AtomicBoolean();
        diary.preCommit = (task, current) -> {
            if (diary.records.size() >= 3 && once.compareAndSet(false, true)) {
                SinkRecord second = diary.records.get(1);
                task.host().offset(task.host().assignment().iterator().next(), second.kafkaOffset());
                return Map.of();
            }
            return once.get() ? current : Map.of();
        };
        recording("georep.poll.records.max=1").run(context -> {
            send(context, "one", "two", "three");

            await().atMost(SOON).until(() -> forwarded(context) == 3);
            List<String> values = diary.values();
            assertThat(values).hasSize(5);
            assertThat(values.subList(3, 5)).isEqualTo(values.subList(1, 3));
            assertThat(diary.records.get(3).kafkaOffset())
                    .isEqualTo(diary.records.get(1).kafkaOffset());
        });
    }

    /** The same if a commit is due before it gets the record again: it has asked first. */
    @Test
    void whatASinkAsksForAgainIsNotFlushedBefore() {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> {
            if (!records.isEmpty() && diary.records.isEmpty()) {
                SinkRecord first = records.iterator().next();
                task.host().offset(task.host().assignment().iterator().next(), first.kafkaOffset());
                task.host().requestCommit();
            }
        };
        recording("offset.flush.interval.ms=600000").run(context -> {
            send(context, "one");

            await().atMost(SOON).until(() -> diary.values().size() == 2 || forwarded(context) == 1);
            assertThat(diary.values()).containsExactly("one", "one");
        });
    }

    @Test
    void aSinkThatWaitsForMoreThanTheWindowIsNamed() {
        Diary diary = RecordingSink.diary("rec");
        AtomicBoolean flushes = new AtomicBoolean();
        diary.preCommit = (task, current) -> flushes.get() ? current : Map.of();
        recording("georep.window=4").run(context -> {
            send(context, "1", "2", "3", "4", "5", "6");

            await().atMost(SOON).until(() -> status(context).troubled());
            assertThat(diary.records).hasSize(4);
            assertThat(status(context).tasks().get(0).problem())
                    .contains("4 or 67108864 bytes")
                    .contains("georep.connectors.rec.georep.window");

            flushes.set(true);
            await().atMost(SOON).until(() -> forwarded(context) == 6);
            assertThat(status(context).troubled()).isFalse();
        });
    }

    @Test
    void theBytesInASinksHandsAreBounded() {
        Diary diary = RecordingSink.diary("rec");
        AtomicBoolean flushes = new AtomicBoolean();
        diary.preCommit = (task, current) -> flushes.get() ? current : Map.of();
        recording("georep.bytes.max=100000").run(context -> {
            String text = "x".repeat(30_000);
            for (int i = 0; i < 12; i++) {
                send(context, text + i);
            }

            await().atMost(SOON).until(() -> status(context).troubled());
            assertThat(diary.records).as("the fourth reaches the bound").hasSize(4);
            assertThat(status(context).tasks().get(0).problem()).contains("georep.bytes.max");

            flushes.set(true);
            await().atMost(SOON).until(() -> forwarded(context) == 12);
            assertThat(diary.records).as("none came twice").hasSize(12);
        });
    }

    @Test
    void halfAWindowIsFlushedBeforeTheIntervalIsOver() {
        RecordingSink.diary("rec");
        recording("offset.flush.interval.ms=3600000", "georep.window=10").run(context -> {
            for (int i = 0; i < 30; i++) {
                send(context, "text " + i);
            }

            await().atMost(SOON).until(() -> forwarded(context) >= 25);
        });
    }

    @Test
    void aSinkMayAskForItsCommit() {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> {
            if (!records.isEmpty()) {
                task.host().requestCommit();
            }
        };
        recording("offset.flush.interval.ms=3600000").run(context -> {
            send(context, "one");

            await().atMost(SOON).until(() -> forwarded(context) == 1);
        });
    }

    @Test
    void whatTransformationsFilterAwayIsForwarded() {
        Diary diary = RecordingSink.diary("rec");
        recording(
                        "transforms=drop,route",
                        "transforms.drop.type=org.apache.kafka.connect.transforms.Filter",
                        "transforms.drop.predicate=debug",
                        "transforms.route.type=org.apache.kafka.connect.transforms.RegexRouter",
                        "transforms.route.regex=sms",
                        "transforms.route.replacement=outgoing",
                        "predicates=debug",
                        "predicates.debug.type=org.apache.kafka.connect.transforms.predicates.HasHeaderKey",
                        "predicates.debug.name=debug")
                .run(context -> {
                    outbox(context)
                            .send(
                                    "dropped".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                                    SendOptions.defaults().header("debug", "1"))
                            .toCompletableFuture()
                            .get(60, TimeUnit.SECONDS);
                    await().atMost(SOON).until(() -> forwarded(context) == 1);
                    send(context, "kept");

                    await().atMost(SOON).until(() -> forwarded(context) == 2);
                    assertThat(diary.values()).containsExactly("kept");
                    assertThat(diary.records.get(0).topic()).isEqualTo("outgoing");
                    assertThat(diary.records.get(0).originalTopic()).isEqualTo("sms");
                });
    }

    @Test
    void tasksShareAnOutboxAndNoOffsetIsUsedTwice() {
        Diary diary = RecordingSink.diary("rec");
        recording("tasks.max=3", "georep.poll.records.max=1").run(context -> {
            List<String> all = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                send(context, "text " + i);
                all.add("text " + i);
            }

            await().atMost(SOON).until(() -> forwarded(context) == 60);
            assertThat(diary.values()).containsExactlyInAnyOrderElementsOf(all);
            assertThat(status(context).tasks()).hasSize(3);
            assertThat(diary.records.stream()
                            .map(record -> record.kafkaPartition() + ":" + record.kafkaOffset())
                            .distinct())
                    .hasSize(60);
            assertThat(diary.events.stream().filter("start"::equals)).hasSize(3);
        });
    }

    @Test
    void aBadRecordBecomesADeadLetterIfThatIsTolerated() {
        Diary diary = RecordingSink.diary("rec");
        recording("value.converter=org.apache.kafka.connect.json.JsonConverter", "errors.tolerance=all")
                .run(context -> {
                    send(context, "no JSON", "{\"schema\": null, \"payload\": 7}");

                    await().atMost(SOON).until(() -> forwarded(context) == 1);
                    DeadLetters.Page<byte[]> page = outbox(context)
                            .deadLetters()
                            .list(null, 10)
                            .toCompletableFuture()
                            .get(60, TimeUnit.SECONDS);
                    assertThat(page.letters())
                            .singleElement()
                            .satisfies(letter -> assertThat(letter.reason())
                                    .contains("VALUE_CONVERTER")
                                    .contains("JsonConverter"));
                    assertThat(diary.values()).containsExactly("7");
                });
    }

    @Test
    void aBadRecordIsCopiedWithItsContextIfAnOutboxIsNamed() {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> records.forEach(record ->
                task.host().errantRecordReporter().report(record, new IllegalStateException("no such number")));
        recording(
                        "errors.tolerance=all",
                        "errors.deadletterqueue.topic.name=bad",
                        "errors.deadletterqueue.context.headers.enable=true")
                .run(context -> {
                    var bad = new java.util.concurrent.LinkedBlockingQueue<io.georep.outbox.Delivery<byte[]>>();
                    context.getBean(Outboxes.class).outbox("bad", byte[].class).forward(bad::add);
                    send(context, "one");

                    var copy = bad.poll(60, TimeUnit.SECONDS);
                    assertThat(copy).isNotNull();
                    assertThat(copy.payload()).asString().isEqualTo("one");
                    assertThat(copy.headers())
                            .containsEntry("__connect.errors.topic", "sms")
                            .containsEntry("__connect.errors.stage", "TASK_PUT")
                            .containsEntry("__connect.errors.connector.name", "rec")
                            .containsEntry("__connect.errors.task.id", "0")
                            .containsEntry("__connect.errors.exception.message", "no such number")
                            .containsKeys("__connect.errors.offset", "__connect.errors.exception.stacktrace");
                    await().atMost(SOON).until(() -> forwarded(context) == 1);
                });
    }

    @Test
    void withoutToleranceABadRecordFailsTheTaskAndIsKept() {
        RecordingSink.diary("rec");
        recording("value.converter=org.apache.kafka.connect.json.JsonConverter").run(context -> {
            send(context, "no JSON");

            await().atMost(SOON).until(() -> aTaskFailed(context));
            assertThat(forwarded(context)).isZero();
            assertThat(outbox(context).statistics().deadLettered()).isZero();
        });
    }
}
