package io.georep.spring.boot;

import static io.georep.spring.boot.SinkBench.SOON;
import static io.georep.spring.boot.SinkBench.forwarded;
import static io.georep.spring.boot.SinkBench.outbox;
import static io.georep.spring.boot.SinkBench.recording;
import static io.georep.spring.boot.SinkBench.send;
import static io.georep.spring.boot.SinkBench.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.outbox.SendOptions;
import io.georep.spring.Connectors;
import io.georep.spring.connect.RecordingSink;
import io.georep.spring.connect.RecordingSink.Diary;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A sink says only of records that it saw that they are flushed, as Debezium's does, and it does not see all entries. */
@Timeout(180)
class SinkFilterTest {
    private final Diary diary = RecordingSink.diary("rec");
    private final AtomicBoolean flushes = new AtomicBoolean(true);

    private ApplicationContextRunner filtering(String... settings) {
        diary.preCommit = (task, current) -> flushes.get() && !diary.records.isEmpty() ? seen() : Map.of();
        ApplicationContextRunner runner = recording(
                "georep.window=4",
                "transforms=drop",
                "transforms.drop.type=org.apache.kafka.connect.transforms.Filter",
                "transforms.drop.predicate=debug",
                "predicates=debug",
                "predicates.debug.type=org.apache.kafka.connect.transforms.predicates.HasHeaderKey",
                "predicates.debug.name=debug");
        for (String setting : settings) {
            runner = runner.withPropertyValues("georep.connectors.rec." + setting);
        }
        return runner;
    }

    private Map<TopicPartition, OffsetAndMetadata> seen() {
        SinkRecord last = diary.records.get(diary.records.size() - 1);
        return Map.of(
                new TopicPartition(last.originalTopic(), last.originalKafkaPartition()),
                new OffsetAndMetadata(last.originalKafkaOffset() + 1));
    }

    private static void sendDropped(AssertableApplicationContext context, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            outbox(context)
                    .send(
                            "dropped".getBytes(StandardCharsets.UTF_8),
                            SendOptions.defaults().header("debug", "1"))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void whatItDoesNotSeeFillsNoWindow() {
        AtomicBoolean fails = new AtomicBoolean(true);
        diary.put = (task, records) -> {
            if (fails.getAndSet(false)) {
                throw new IllegalStateException("the target is away");
            }
        };
        filtering("georep.restart.delay.max.ms=40").run(context -> {
            sendDropped(context, 10);

            await().atMost(SOON).until(() -> forwarded(context) == 10);
            await().atMost(SOON)
                    .until(() ->
                            diary.events.contains("stop") && !status(context).troubled());
            send(context, "kept");
            await().atMost(SOON).until(() -> forwarded(context) == 11);
            assertThat(diary.values()).containsExactly("kept");
            assertThat(status(context).troubled()).isFalse();
        });
    }

    /** The task has work left as long as it holds an entry, and is not well again before it gets on. */
    @Test
    void whatItReportsLeavesTheTask() {
        flushes.set(false);
        AtomicBoolean fails = new AtomicBoolean(true);
        filtering("georep.restart.delay.max.ms=40", "errors.tolerance=all").run(context -> {
            diary.put = (task, records) -> {
                if (fails.getAndSet(false)) {
                    throw new IllegalStateException("the target is away");
                }
                records.forEach(
                        record -> task.host().errantRecordReporter().report(record, new IllegalStateException("bad")));
            };
            send(context, "one", "two", "three");

            await().atMost(SOON).until(() -> outbox(context).statistics().deadLettered() == 3);
            await().atMost(SOON).until(() -> !status(context).troubled());
        });
    }

    /** Its end says nothing of those before it. */
    @Test
    void whatCameBeforeOneThatItDoesNotSeeIsKeptUntilItIsFlushed() {
        flushes.set(false);
        filtering().run(context -> {
            send(context, "one");
            sendDropped(context, 6);
            send(context, "two");
            await().atMost(SOON).until(() -> forwarded(context) == 6);
            await().atMost(SOON).until(() -> diary.values().contains("two"));

            context.getBean(Connectors.class).restart("rec");
            await().atMost(SOON).until(() -> diary.records.size() == 4);
            assertThat(diary.values()).containsExactly("one", "two", "one", "two");
            assertThat(forwarded(context)).isEqualTo(6);

            flushes.set(true);
            await().atMost(SOON).until(() -> forwarded(context) == 8);
            assertThat(outbox(context).statistics().deadLettered()).isZero();
        });
    }
}
