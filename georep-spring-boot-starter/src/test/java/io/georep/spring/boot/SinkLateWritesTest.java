package io.georep.spring.boot;

import static io.georep.spring.boot.SinkBench.SOON;
import static io.georep.spring.boot.SinkBench.forwarded;
import static io.georep.spring.boot.SinkBench.recording;
import static io.georep.spring.boot.SinkBench.send;
import static io.georep.spring.boot.SinkBench.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.spring.connect.RecordingSink;
import io.georep.spring.connect.RecordingSink.Diary;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A sink that writes on a thread of its own: what it took can be flushed only a moment later. */
@Timeout(60)
class SinkLateWritesTest {
    private final List<String> written = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();
    private final ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor();

    private final Map<TopicPartition, OffsetAndMetadata> flushed = new HashMap<>();
    private int life;
    private RuntimeException failure;

    private Diary writingLater() {
        Diary diary = RecordingSink.diary("rec");
        diary.task = event -> begin();
        diary.put = (task, records) -> records.forEach(this::take);
        diary.preCommit = (task, current) -> flushed();
        return diary;
    }

    @AfterEach
    void end() {
        writer.shutdownNow();
    }

    /** What a task has not written when it is stopped is never written. */
    private synchronized void begin() {
        life++;
        failure = null;
        flushed.clear();
    }

    private synchronized void take(SinkRecord record) {
        fail();
        int taken = life;
        writer.schedule(() -> write(record, taken), 50, TimeUnit.MILLISECONDS);
    }

    private void fail() {
        if (failure != null) {
            throw new IllegalStateException("a write failed", failure);
        }
    }

    private synchronized void write(SinkRecord record, int taken) {
        if (taken != life || failure != null) {
            return;
        }
        if (record.value().equals("bad")) {
            failures.incrementAndGet();
            failure = new IllegalStateException("the target refuses it");
            return;
        }
        written.add(String.valueOf(record.value()));
        flushed.put(
                new TopicPartition(record.topic(), record.kafkaPartition()),
                new OffsetAndMetadata(record.kafkaOffset() + 1));
    }

    private synchronized Map<TopicPartition, OffsetAndMetadata> flushed() {
        fail();
        return Map.copyOf(flushed);
    }

    @Test
    void theNeighboursOfAnEntryThatIsRefusedLaterArriveOnceMoreAtMost() {
        writingLater();
        recording("georep.restart.delay.max.ms=40", "offset.flush.interval.ms=300")
                .run(context -> {
                    send(context, "one", "bad", "two");

                    await().atMost(SOON).until(() -> failures.get() > 4);
                    assertThat(written).filteredOn("one"::equals).hasSizeLessThanOrEqualTo(2);
                    assertThat(written).doesNotContain("two"); // it waits
                    assertThat(forwarded(context)).isEqualTo(1);
                });
    }

    /** The same if only {@code preCommit} says so, and the task lives on. */
    @Test
    void theNeighboursOfAnEntryThatIsRefusedInACommitArriveOnceMoreAtMost() {
        Diary diary = writingLater();
        diary.preCommit = (task, current) -> {
            try {
                return flushed();
            } catch (IllegalStateException e) {
                begin();
                throw e;
            }
        };
        diary.put = (task, records) -> {
            if (!records.isEmpty()) {
                records.forEach(this::take);
            }
        };
        recording("offset.flush.interval.ms=300").run(context -> {
            send(context, "one", "bad", "two");

            await().atMost(SOON).until(() -> failures.get() > 3);
            assertThat(written).filteredOn("one"::equals).hasSizeLessThanOrEqualTo(2);
            assertThat(written).doesNotContain("two");
            assertThat(forwarded(context)).isEqualTo(1);
        });
    }

    /** A sink that flushes several together waits for the next one: it gets it, and its window is not called too small. */
    @Test
    void aSinkThatFlushesSeveralTogetherGetsThemAfterAFailure() {
        List<Boolean> troubled = new CopyOnWriteArrayList<>();
        AtomicInteger held = new AtomicInteger();
        Diary diary = RecordingSink.diary("rec");
        diary.task = event -> held.set(0);
        recording("georep.restart.delay.max.ms=40", "georep.window=3").run(context -> {
            diary.put = (task, records) -> {
                held.addAndGet(records.size());
                if (held.get() == 3 && failures.getAndIncrement() == 0) {
                    held.set(0);
                    throw new IllegalStateException("the target is away");
                }
            };
            diary.preCommit = (task, current) -> {
                if (failures.get() > 0 && held.get() == 1) {
                    troubled.add(String.valueOf(status(context).tasks().get(0).problem())
                            .contains("georep.window"));
                }
                return held.get() < 3 ? Map.of() : current;
            };
            send(context, "one", "two", "three");

            await().atMost(SOON).until(() -> forwarded(context) == 3);
            assertThat(troubled).contains(false).doesNotContain(true);
        });
    }
}
