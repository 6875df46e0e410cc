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
import io.georep.spring.connect.RecordingSink;
import io.georep.spring.connect.RecordingSink.Diary;
import io.georep.spring.connect.RecordingSink.Put;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What becomes of the others, and what operators see, when a sink fails with one entry for ever. */
@Timeout(180)
class SinkTroubleTest {
    private final List<String> written = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();
    private final CountDownLatch gate = new CountDownLatch(1);

    /** Writes one after the other, and fails at the one that is refused, as a sink without transactions does. */
    private void write(String value) {
        if (value.equals("bad")) {
            failures.incrementAndGet();
            throw new IllegalStateException("the target refuses it");
        }
        written.add(value);
    }

    /** All of them are in one batch: the sink waits for the gate with the first. */
    private void sendTogether(AssertableApplicationContext context, String... texts) throws Exception {
        for (String text : texts) {
            outbox(context)
                    .send(text.getBytes(StandardCharsets.UTF_8), SendOptions.defaults())
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
        }
        gate.countDown();
    }

    private Diary waitingForTheGate() {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> {
            if (!records.isEmpty()) {
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            records.forEach(record -> write(String.valueOf(record.value())));
        };
        return diary;
    }

    @Test
    void theNeighboursOfARefusedEntryArriveOnceMoreAtMost() {
        waitingForTheGate();
        recording("georep.restart.delay.max.ms=40").run(context -> {
            send(context, "first");
            sendTogether(context, "one", "bad", "two");

            await().atMost(SOON).until(() -> failures.get() > 6);
            assertThat(written).filteredOn("one"::equals).hasSizeLessThanOrEqualTo(2);
            assertThat(written).doesNotContain("two"); // those after it keep their order
            assertThat(forwarded(context)).isEqualTo(2);
        });
    }

    /** A record that cannot even be made keeps those behind it waiting, and not those before it. */
    @Test
    void whatCameBeforeARecordThatCannotBeMadeIsForwarded() {
        waitingForTheGate();
        recording(
                        "value.converter=org.apache.kafka.connect.json.JsonConverter",
                        "value.converter.schemas.enable=false",
                        "georep.restart.delay.max.ms=40")
                .run(context -> {
                    send(context, "\"first\"");
                    sendTogether(context, "\"one\"", "no JSON", "\"two\"");

                    await().atMost(SOON).until(() -> forwarded(context) == 2);
                    await().atMost(SOON).until(() -> status(context).troubled());
                    assertThat(written).containsExactly("first", "one");
                });
    }

    /** The same for a sink that writes when it is told to flush. */
    @Test
    void theNeighboursOfAnEntryThatCannotBeFlushedArriveOnceMoreAtMost() {
        List<String> buffer = new ArrayList<>();
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> records.forEach(record -> buffer.add(String.valueOf(record.value())));
        diary.preCommit = (task, current) -> {
            List<String> all = List.copyOf(buffer);
            buffer.clear();
            all.forEach(this::write);
            return current;
        };
        recording("offset.flush.interval.ms=300").run(context -> {
            send(context, "one", "bad", "two");

            await().atMost(SOON).until(() -> failures.get() > 3);
            assertThat(written).filteredOn("one"::equals).hasSizeLessThanOrEqualTo(2);
            assertThat(forwarded(context)).isEqualTo(1);
        });
    }

    /** The same for a sink that reports the entry, and does not mind that reports are not tolerated. */
    @Test
    void theNeighboursOfAReportedEntryArriveOnceMoreAtMost() {
        Diary diary = waitingForTheGate();
        Put writes = diary.put;
        diary.put = (task, records) -> {
            for (SinkRecord record : records) {
                try {
                    writes.before(task, List.of(record));
                } catch (IllegalStateException e) {
                    try {
                        task.host().errantRecordReporter().report(record, e);
                    } catch (ConnectException swallowed) {
                        diary.events.add("swallowed");
                    }
                }
            }
        };
        recording("georep.restart.delay.max.ms=40").run(context -> {
            send(context, "first");
            sendTogether(context, "one", "bad", "two");

            await().atMost(SOON).until(() -> failures.get() > 6);
            assertThat(diary.events).contains("swallowed");
            assertThat(written).filteredOn("one"::equals).hasSizeLessThanOrEqualTo(2);
            assertThat(written).filteredOn("two"::equals).hasSizeLessThanOrEqualTo(1);
            assertThat(forwarded(context)).isEqualTo(2);
        });
    }

    /** The same for a sink that writes on a thread of its own, and fails with the next call, whatever that brings. */
    @Test
    void theNeighboursOfAnEntryThatFailsLaterArriveOnceMoreAtMost() {
        Diary diary = waitingForTheGate();
        Put writes = diary.put;
        AtomicReference<RuntimeException> failed = new AtomicReference<>();
        Runnable failing = () -> {
            if (failed.get() != null) {
                throw failed.get();
            }
        };
        diary.put = (task, records) -> {
            failing.run();
            for (SinkRecord record : records) {
                try {
                    writes.before(task, List.of(record));
                } catch (IllegalStateException e) {
                    failed.set(e);
                }
            }
        };
        diary.preCommit = (task, current) -> {
            failing.run();
            return current;
        };
        diary.task = event -> failed.set(null);
        recording("georep.restart.delay.max.ms=40", "offset.flush.interval.ms=300")
                .run(context -> {
                    send(context, "first");
                    sendTogether(context, "one", "two", "bad"); // then calls without records

                    await().atMost(SOON).until(() -> failures.get() > 6);
                    assertThat(written).filteredOn("one"::equals).hasSizeLessThanOrEqualTo(2);
                    assertThat(written).filteredOn("two"::equals).hasSizeLessThanOrEqualTo(2);
                    assertThat(forwarded(context)).isEqualTo(3);
                });
    }

    @Test
    void aTaskThatFailsAgainAndAgainIsNeverWell() {
        Semaphore entered = new Semaphore(0);
        Semaphore go = new Semaphore(0);
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> {
            if (!records.isEmpty()) {
                entered.release();
                go.acquireUninterruptibly();
                throw new IllegalStateException("the target is away");
            }
        };
        recording("georep.restart.delay.max.ms=40").run(context -> {
            send(context, "one");
            for (int life = 1; life <= 3; life++) {
                assertThat(entered.tryAcquire(15, TimeUnit.SECONDS)).isTrue();
                if (life > 1) {
                    assertThat(status(context).troubled())
                            .as("between two failures")
                            .isTrue();
                }
                go.release();
            }
            go.release(1_000_000);
        });
    }

    @Test
    void aTaskThatGetsOnAfterAFailureIsWell() {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> records.forEach(record -> {
            if (failures.getAndIncrement() == 0) {
                throw new IllegalStateException("the target is away");
            }
        });
        recording().run(context -> {
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            await().atMost(SOON).until(() -> !status(context).troubled());
        });
    }

    /** Such as one whose target was away for a moment when there was nothing to flush. */
    @Test
    void aSinkThatCannotFlushNothingIsWellAgainWhenItCan() {
        Diary diary = RecordingSink.diary("rec");
        diary.preCommit = (task, current) -> {
            throw new IllegalStateException("the target is away");
        };
        recording().run(context -> {
            await().atMost(SOON).until(() -> status(context).troubled());
            diary.preCommit = (task, current) -> current;
            await().atMost(SOON).until(() -> !status(context).troubled());
        });
    }

    /** In each of its lives the target is busy first, then takes the entry, and then is away. */
    @Test
    void aTaskThatFailsAgainAndAgainIsNotWellBecauseItTriedAgain() {
        List<Boolean> troubled = new CopyOnWriteArrayList<>();
        AtomicInteger attempts = new AtomicInteger();
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> {
            if (!records.isEmpty() && failures.get() > 0 && attempts.getAndIncrement() == 0) {
                task.host().timeout(0);
                throw new RetriableException("the target is busy");
            }
            if (records.isEmpty() == attempts.get() > 1) { // in its first life: at once
                failures.incrementAndGet();
                throw new IllegalStateException("the target is away");
            }
        };
        diary.task = event -> attempts.set(0);
        recording("georep.restart.delay.max.ms=40").run(context -> {
            diary.preCommit = (task, current) -> {
                if (attempts.get() > 1) {
                    troubled.add(status(context).troubled());
                }
                return Map.of();
            };
            send(context, "one");
            await().atMost(SOON).until(() -> troubled.size() > 3);
            assertThat(troubled).containsOnly(true);
        });
    }

    /** A sink may ask for no pause at all. The host pauses nevertheless, and the log tells it at powers of two. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aSinkThatWantsNoPauseBetweenItsAttemptsFloodsNothing(CapturedOutput output) {
        List<Long> attempts = new CopyOnWriteArrayList<>();
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> {
            if (!records.isEmpty() && attempts.size() < 7) {
                attempts.add(System.nanoTime());
                task.host().timeout(0);
                throw new RetriableException("the target is busy");
            }
        };
        recording().run(context -> {
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);

            for (int i = 1; i < attempts.size(); i++) {
                assertThat(TimeUnit.NANOSECONDS.toMillis(attempts.get(i) - attempts.get(i - 1)))
                        .as("the pause after attempt %s", i)
                        .isGreaterThanOrEqualTo(Math.min(100, 10L << (i - 1)));
            }
            assertThat(output.getOut().lines().filter(line -> line.contains("RetriableException: the target is busy")))
                    .as("for the first, second and fourth time")
                    .hasSize(3);
        });
    }

    /** The count begins again with a batch that needs one attempt, not with each batch that is through in the end. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aSinkThatNeedsTwoAttemptsForEachBatchFloodsNothing(CapturedOutput output) {
        AtomicInteger attempts = new AtomicInteger();
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> {
            if (!records.isEmpty() && attempts.getAndIncrement() % 2 == 0) {
                task.host().timeout(0);
                throw new RetriableException("the target is busy");
            }
        };
        recording("offset.flush.interval.ms=600000", "georep.poll.records.max=1")
                .run(context -> {
                    send(context, "1", "2", "3", "4", "5", "6", "7");
                    await().atMost(SOON).until(() -> attempts.get() == 14);

                    assertThat(output.getOut().lines().filter(line -> line.contains("put is tried again")))
                            .as("for the first, second and fourth time")
                            .hasSize(3);
                });
    }

    /** A target may ask for an hour. What the sink has from before is flushed meanwhile, at the usual times. */
    @Test
    void aSinkThatWantsALongPauseFlushesMeanwhile() {
        AtomicInteger commits = new AtomicInteger();
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> records.forEach(record -> {
            if (record.value().equals("two")) {
                failures.incrementAndGet();
                task.host().timeout(Long.MAX_VALUE);
                throw new RetriableException("the target is away");
            }
        });
        diary.preCommit = (task, current) -> {
            commits.incrementAndGet();
            return current;
        };
        recording("georep.poll.records.max=1", "georep.window=2", "offset.flush.interval.ms=600000")
                .run(context -> {
                    long begun = System.nanoTime();
                    send(context, "one", "two");

                    await().atMost(SOON).until(() -> forwarded(context) == 1);
                    int before = commits.get();
                    await().atMost(SOON).until(() -> commits.get() > before + 2);
                    assertThat(commits.get())
                            .as("commits that find nothing have pauses")
                            .isLessThan(20 + (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun) / 100);
                    assertThat(failures).hasValue(1);
                    assertThat(status(context).troubled()).isTrue();
                });
    }
}
