package io.georep.spring.boot;

import static io.georep.spring.boot.SinkBench.SOON;
import static io.georep.spring.boot.SinkBench.aTaskFailed;
import static io.georep.spring.boot.SinkBench.forwarded;
import static io.georep.spring.boot.SinkBench.outbox;
import static io.georep.spring.boot.SinkBench.recording;
import static io.georep.spring.boot.SinkBench.send;
import static io.georep.spring.boot.SinkBench.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.outbox.DeadLetters;
import io.georep.outbox.Delivery;
import io.georep.outbox.SendOptions;
import io.georep.spring.Connectors;
import io.georep.spring.Connectors.State;
import io.georep.spring.Outboxes;
import io.georep.spring.connect.OddConverter;
import io.georep.spring.connect.RecordingSink;
import io.georep.spring.connect.RecordingSink.Diary;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Kafka Connect's worker does and a comparison with it showed that this host did not. */
@Timeout(180)
class SinkErrorsTest {
    /** Else the record would count as forwarded although nobody has it. */
    @Test
    void aTaskFailsWithARecordThatItReportedAndNobodyTolerates() {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> {
            for (SinkRecord record : records) {
                try {
                    task.host().errantRecordReporter().report(record, new IllegalStateException("bad"));
                } catch (ConnectException e) {
                    diary.events.add("swallowed");
                }
            }
        };
        recording("georep.restart.delay.min.ms=3600000", "georep.restart.delay.max.ms=3600000")
                .run(context -> {
                    send(context, "one");

                    await().atMost(SOON).until(() -> aTaskFailed(context));
                    assertThat(diary.events).contains("swallowed", "stop");
                    assertThat(forwarded(context)).isZero();
                });
    }

    /** The same for a task that reports from a thread of its own, when put has returned. */
    @Test
    void aReportThatComesLateKeepsTheRecord() {
        Diary diary = RecordingSink.diary("rec");
        AtomicReference<SinkRecord> last = new AtomicReference<>();
        diary.put = (task, records) -> records.forEach(last::set);
        diary.preCommit = (task, current) -> {
            SinkRecord record = last.getAndSet(null);
            if (record != null) {
                try {
                    task.host().errantRecordReporter().report(record, new IllegalStateException("bad"));
                } catch (ConnectException e) {
                    diary.events.add("swallowed");
                }
            }
            return current;
        };
        recording("georep.restart.delay.min.ms=3600000", "georep.restart.delay.max.ms=3600000")
                .run(context -> {
                    send(context, "one");

                    await().atMost(SOON).until(() -> aTaskFailed(context));
                    assertThat(diary.events).contains("swallowed", "stop");
                    assertThat(forwarded(context)).isZero();
                });
    }

    /** The same if it is tolerated, and the copy that is to be kept of it cannot be stored. */
    @Test
    void aReportThatComesLateKeepsTheRecordUntilItsCopyIsStored() {
        Diary diary = RecordingSink.diary("rec");
        AtomicReference<SinkRecord> last = new AtomicReference<>();
        diary.put = (task, records) -> records.forEach(last::set);
        diary.preCommit = (task, current) -> {
            SinkRecord record = last.getAndSet(null);
            if (record != null) {
                task.host().errantRecordReporter().report(record, new IllegalStateException("bad"));
            }
            return current;
        };
        recording("errors.tolerance=all", "errors.deadletterqueue.topic.name=bad")
                .withPropertyValues("georep.outboxes.bad.f=1", "georep.protocol.put-timeout=200ms")
                .run(context -> {
                    send(context, "one");

                    await().atMost(SOON).until(() -> status(context).troubled());
                    assertThat(status(context).tasks().get(0).problem()).contains("outbox bad");
                    assertThat(diary.events).containsExactly("start");
                    assertThat(forwarded(context)).isZero();
                });
    }

    /** An error of a driver that cannot say what it is: a class is missing. */
    private static final class Unspeakable extends RuntimeException {
        @Override
        public String getMessage() {
            throw new NoClassDefFoundError("driver/Messages");
        }
    }

    @Test
    void anErrorThatCannotSayWhatItIsIsSetAsideToo() {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) ->
                records.forEach(record -> task.host().errantRecordReporter().report(record, new Unspeakable()));
        recording(
                        "errors.tolerance=all",
                        "errors.log.enable=true",
                        "errors.deadletterqueue.topic.name=bad",
                        "errors.deadletterqueue.context.headers.enable=true")
                .run(context -> {
                    var bad = new LinkedBlockingQueue<Delivery<byte[]>>();
                    context.getBean(Outboxes.class).outbox("bad", byte[].class).forward(bad::add);
                    send(context, "one");

                    var copy = bad.poll(60, TimeUnit.SECONDS);
                    assertThat(copy).isNotNull();
                    assertThat(copy.headers())
                            .containsEntry("__connect.errors.exception.message", Unspeakable.class.getName());
                    await().atMost(SOON).until(() -> forwarded(context) == 1);
                });
    }

    /** The same, if what it hides is its cause. */
    private static final class Secretive extends RuntimeException {
        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("the connection is closed");
        }
    }

    /** Nobody else starts the thread of a task again. */
    @Test
    void anErrorWhoseCauseCannotBeToldDoesNotEndItsTask() {
        AtomicInteger failures = new AtomicInteger();
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> {
            if (!records.isEmpty() && failures.getAndIncrement() == 0) {
                throw new Secretive();
            }
        };
        recording().run(context -> {
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);
        });
    }

    /** The same for the thread of the connector; and operators see that it does not start. */
    @Test
    void anErrorWhoseCauseCannotBeToldIsATroubleOfItsConnector() {
        Diary diary = RecordingSink.diary("rec");
        diary.start = () -> {
            throw new Secretive();
        };
        recording().run(context -> {
            await().atMost(SOON).until(() -> status(context).troubled());
            assertThat(status(context).problem()).contains(Secretive.class.getName());

            diary.start = () -> {};
            await().atMost(SOON).until(() -> status(context).state() == State.RUNNING);
        });
    }

    @Test
    void aConnectorThatIsPausedFlushesAtOnce() {
        Diary diary = RecordingSink.diary("rec");
        recording("offset.flush.interval.ms=3600000").run(context -> {
            send(context, "one");
            await().atMost(SOON).until(() -> diary.records.size() == 1);
            assertThat(forwarded(context)).isZero();

            context.getBean(Connectors.class).pause("rec");

            await().atMost(SOON).until(() -> forwarded(context) == 1);
        });
    }

    /** Of several faults the same one is told as in Kafka Connect. */
    @Test
    void theKeyIsReadBeforeTheValueAndBothBeforeTheHeaders() {
        RecordingSink.diary("rec");
        String json = "org.apache.kafka.connect.json.JsonConverter";
        recording(
                        "key.converter=" + json,
                        "value.converter=" + json,
                        "header.converter=" + json,
                        "errors.tolerance=all")
                .run(context -> {
                    SendOptions bad = SendOptions.defaults().header("name", "no JSON");
                    for (SendOptions options : new SendOptions[] {bad.header("connect.key", "no JSON"), bad}) {
                        outbox(context)
                                .send("no JSON".getBytes(StandardCharsets.UTF_8), options)
                                .toCompletableFuture()
                                .get(60, TimeUnit.SECONDS);
                    }
                    await().atMost(SOON)
                            .until(() -> outbox(context).statistics().deadLettered() == 2);

                    DeadLetters.Page<byte[]> page = outbox(context)
                            .deadLetters()
                            .list(null, 10)
                            .toCompletableFuture()
                            .get(60, TimeUnit.SECONDS);
                    assertThat(page.letters().stream()
                                    .map(letter -> letter.reason().replaceAll(".*: (\\w+) failed in.*", "$1")))
                            .containsExactlyInAnyOrder("KEY_CONVERTER", "VALUE_CONVERTER");
                });
    }

    /** It is this record's fault; else no record behind it would ever be forwarded. */
    @ParameterizedTest
    @ValueSource(strings = {"nothing", "deep"})
    void aRecordThatItsConverterBreaksDownAtIsSetAside(String payload) {
        Diary diary = RecordingSink.diary("rec");
        recording("errors.tolerance=all", "value.converter=" + OddConverter.class.getName())
                .run(context -> {
                    send(context, payload, "two");

                    await().atMost(SOON).until(() -> forwarded(context) == 1);
                    await().atMost(SOON)
                            .until(() -> outbox(context).statistics().deadLettered() == 1);
                    assertThat(diary.values()).containsExactly("two");
                    assertThat(diary.events).containsExactly("start");
                });
    }

    /** What they hold, such as threads and connections, would be there once more after each failure. */
    @Test
    void whatWasMadeForALifeThatCouldNotBeginIsClosed() {
        RecordingSink.diary("rec");
        OddConverter.OPEN.set(0);
        OddConverter.Refusing.TIMES.set(3);
        recording(
                        "value.converter=" + OddConverter.class.getName(),
                        "georep.restart.delay.max.ms=40",
                        "predicates=odd,unused",
                        "predicates.odd.type=" + OddConverter.Odd.class.getName(),
                        "predicates.unused.type=" + OddConverter.Odd.class.getName(),
                        "transforms=one,two",
                        "transforms.one.type=" + OddConverter.Refusing.class.getName(),
                        "transforms.one.predicate=odd",
                        "transforms.two.type=" + OddConverter.Refusing.class.getName(),
                        "transforms.two.predicate=odd")
                .run(context -> {
                    send(context, "one");
                    await().atMost(SOON).until(() -> forwarded(context) == 1);
                    assertThat(OddConverter.OPEN).hasValue(4); // two converters, two predicates
                });
        assertThat(OddConverter.OPEN).hasValue(0);
    }
}
