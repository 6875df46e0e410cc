package io.georep.spring.boot;

import static io.georep.spring.boot.SinkBench.SOON;
import static io.georep.spring.boot.SinkBench.forwarded;
import static io.georep.spring.boot.SinkBench.outbox;
import static io.georep.spring.boot.SinkBench.recording;
import static io.georep.spring.boot.SinkBench.send;
import static io.georep.spring.boot.SinkBench.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.outbox.Delivery;
import io.georep.spring.Connectors;
import io.georep.spring.Connectors.State;
import io.georep.spring.Outboxes;
import io.georep.spring.boot.Refusals.Refusal;
import io.georep.spring.connect.RecordingSink;
import io.georep.spring.connect.RecordingSink.Diary;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * A sink sets a bad entry aside, and the dead letter outbox refuses its copy. Whatever the refusal is: each entry that was
 * acknowledged is forwarded, or has a copy, or is a dead letter, or is still there; and good ones are not written again.
 */
@Timeout(60)
class SinkRefusalsTest {
    @TempDir
    Path directory;

    private final Refusals refusals = new Refusals("bad");
    private final List<String> written = new CopyOnWriteArrayList<>();

    private ApplicationContextRunner tolerant(String... settings) {
        ApplicationContextRunner runner = recording(settings)
                .withBean("refusals", Refusals.class, () -> refusals)
                .withPropertyValues(
                        "georep.connectors.rec.errors.tolerance=all",
                        "georep.connectors.rec.errors.deadletterqueue.topic.name=bad",
                        "georep.connectors.rec.errors.deadletterqueue.context.headers.enable=true");
        return runner;
    }

    private Diary writesGoodAndReportsBad() {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> records.forEach(record -> {
            String value = String.valueOf(record.value());
            if (value.startsWith("bad")) {
                task.host().errantRecordReporter().report(record, new IllegalStateException("no such number"));
            } else {
                written.add(value);
            }
        });
        return diary;
    }

    private static ConcurrentLinkedQueue<Delivery<byte[]>> copies(AssertableApplicationContext context) {
        ConcurrentLinkedQueue<Delivery<byte[]>> copies = new ConcurrentLinkedQueue<>();
        context.getBean(Outboxes.class).outbox("bad", byte[].class).forward(copies::add);
        return copies;
    }

    private static String text(Delivery<byte[]> delivery) {
        return new String(delivery.payload(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TOO_LARGE")
    @ExtendWith(OutputCaptureExtension.class)
    void aBadEntryIsKeptUntilItsCopyIsStoredAndTheOthersAreForwardedOnce(Refusal refusal, CapturedOutput output) {
        Diary diary = writesGoodAndReportsBad();
        tolerant().run(context -> {
            refusals.begin(refusal);
            send(context, "one", "bad", "two");

            await().atMost(SOON).until(() -> forwarded(context) == 2);
            await().atMost(SOON).until(() -> refusals.refused() > 0);
            context.getBean(Connectors.class).restart("rec");
            await().atMost(SOON).until(() -> diary.events.contains("stop"));
            send(context, "three");
            await().atMost(SOON).until(() -> forwarded(context) == 3);
            assertThat(outbox(context).statistics().deadLettered()).isZero();
            if (refusal != Refusal.SLOW) {
                await().atMost(SOON).until(() -> status(context).troubled());
            }
            if (refusal == Refusal.BROKEN) {
                assertThat(output).contains("IllegalStateException: an advice of the application failed");
            }

            refusals.end();
            ConcurrentLinkedQueue<Delivery<byte[]>> copies = copies(context);
            await().atMost(SOON).until(() -> forwarded(context) == 4);
            await().atMost(SOON).until(() -> !copies.isEmpty());
            assertThat(copies).allSatisfy(copy -> assertThat(text(copy)).isEqualTo("bad"));
            assertThat(written).containsExactly("one", "two", "three");
            await().atMost(SOON).until(() -> !status(context).troubled());
        });
    }

    /** A task that fails by itself while a copy is refused must not lose the entry either, nor get it again. */
    @Test
    void aTaskThatFailsMeanwhileLosesNothing() {
        Diary diary = writesGoodAndReportsBad();
        RecordingSink.Put before = diary.put;
        diary.put = (task, records) -> {
            before.before(task, records);
            if (records.stream().anyMatch(record -> "three".equals(record.value())) && diary.events.size() == 1) {
                throw new IllegalStateException("the target is away");
            }
        };
        tolerant().run(context -> {
            refusals.begin(Refusal.TOO_FEW_PEERS);
            send(context, "one", "bad", "two");
            await().atMost(SOON).until(() -> forwarded(context) == 2);

            send(context, "three");
            await().atMost(SOON).until(() -> forwarded(context) == 3);
            assertThat(written).containsExactly("one", "two", "three", "three");

            refusals.end();
            ConcurrentLinkedQueue<Delivery<byte[]>> copies = copies(context);
            await().atMost(SOON).until(() -> forwarded(context) == 4);
            await().atMost(SOON).until(() -> copies.size() == 1);
            assertThat(diary.values()).filteredOn("bad"::equals).hasSize(1);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"TOO_FEW_PEERS", "SLOW", "INDETERMINATE"})
    void aBadEntryWithoutCopyIsThereAfterTheNextStart(Refusal refusal) {
        Diary diary = writesGoodAndReportsBad();
        ApplicationContextRunner onDisk = tolerant()
                .withPropertyValues(
                        "georep.durability=os", "georep.f=0", "georep.data-dir=" + directory.resolve("data"));
        onDisk.run(context -> {
            refusals.begin(refusal);
            send(context, "one", "bad", "two");
            await().atMost(SOON).until(() -> forwarded(context) == 2);
        });

        refusals.end();
        onDisk.run(context -> {
            ConcurrentLinkedQueue<Delivery<byte[]>> copies = copies(context);
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            await().atMost(SOON).until(() -> !copies.isEmpty());
            assertThat(copies).allSatisfy(copy -> assertThat(text(copy)).isEqualTo("bad"));
            assertThat(written).containsExactly("one", "two");
        });
        assertThat(diary.events).isNotEmpty();
    }

    @Test
    void aCopyThatIsTooLargeWithItsContextIsStoredWithLessOfIt() {
        writesGoodAndReportsBad();
        tolerant().withPropertyValues("georep.protocol.payload-bytes-max=1024").run(context -> {
            send(context, "bad" + "x".repeat(700), "bad" + "x".repeat(300));

            ConcurrentLinkedQueue<Delivery<byte[]>> copies = copies(context);
            await().atMost(SOON).until(() -> forwarded(context) == 2);
            await().atMost(SOON).until(() -> copies.size() == 2);
            for (Delivery<byte[]> copy : copies) {
                if (copy.payload().length > 500) {
                    assertThat(copy.headers()).isEmpty();
                } else {
                    assertThat(copy.headers())
                            .containsEntry("__connect.errors.stage", "TASK_PUT")
                            .containsEntry("__connect.errors.exception.message", "no such number")
                            .doesNotContainKey("__connect.errors.exception.stacktrace");
                }
            }
        });
    }

    @Test
    void anEntryWhoseCopyIsTooLargeInAnyFormIsADeadLetterOfItsOwnOutbox() {
        writesGoodAndReportsBad();
        tolerant().run(context -> {
            refusals.begin(Refusal.TOO_LARGE);
            send(context, "one", "bad");

            await().atMost(SOON).until(() -> outbox(context).statistics().deadLettered() == 1);
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            assertThat(outbox(context)
                            .deadLetters()
                            .list(null, 10)
                            .toCompletableFuture()
                            .join()
                            .letters())
                    .singleElement()
                    .satisfies(letter ->
                            assertThat(letter.reason()).contains("TASK_PUT").contains("PAYLOAD_TOO_LARGE"));
            assertThat(written).containsExactly("one");
        });
    }

    /** It waits no more, so nothing keeps the sink from getting on. */
    @Test
    void aCopyThatWaitsAndThenIsTooLargeIsNoProblemAnyMore() {
        writesGoodAndReportsBad();
        tolerant().run(context -> {
            refusals.begin(Refusal.QUEUE_FULL);
            send(context, "bad");
            await().atMost(SOON).until(() -> status(context).troubled());

            refusals.begin(Refusal.TOO_LARGE);

            await().atMost(SOON).until(() -> outbox(context).statistics().deadLettered() == 1);
            await().atMost(SOON).until(() -> !status(context).troubled());
        });
    }

    /** Copies that are stored say nothing about those that wait. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void whileACopyWaitsTheTaskSaysSoWhateverBecomesOfOthers(CapturedOutput output) {
        writesGoodAndReportsBad();
        tolerant().run(context -> {
            refusals.begin(Refusal.QUEUE_FULL, "bad0");
            send(context, "bad0");
            await().atMost(SOON).until(() -> status(context).troubled());

            send(context, "bad1", "bad2", "bad3");
            await().atMost(SOON).until(() -> forwarded(context) == 3);
            assertThat(status(context).troubled()).isTrue();

            refusals.end();
            await().atMost(SOON).until(() -> forwarded(context) == 4);
            await().atMost(SOON).until(() -> !status(context).troubled());
            assertThat(output.getOut().lines().filter(line -> line.contains("does not take the copies")))
                    .hasSize(1);
        });
    }

    /** A task may wait for its report; it must end nevertheless when it is told to. */
    @Test
    void aTaskThatWaitsForItsReportIsStopped() {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> records.forEach(record -> {
            Future<Void> report =
                    task.host().errantRecordReporter().report(record, new IllegalStateException("no such number"));
            try {
                report.get();
            } catch (Exception e) {
                diary.events.add("released");
            }
        });
        tolerant().run(context -> {
            refusals.begin(Refusal.SLOW);
            send(context, "bad");
            await().atMost(SOON).until(() -> refusals.refused() == 1);

            context.getBean(Connectors.class).stop("rec");

            await().atMost(SOON).until(() -> status(context).state() == State.STOPPED);
            assertThat(diary.events).contains("released");
            assertThat(forwarded(context)).isZero();
        });
    }
}
