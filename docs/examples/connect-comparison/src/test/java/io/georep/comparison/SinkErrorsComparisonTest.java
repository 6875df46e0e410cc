package io.georep.comparison;

import static io.georep.comparison.BothHosts.compare;
import static io.georep.comparison.BothHosts.sink;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.comparison.Scenario.Outcome;
import io.georep.comparison.Scenario.Play;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Records that cannot be processed: {@code errors.*} does the same in both hosts. */
@Tag("servers")
@Timeout(120)
@ExtendWith(BothHosts.class)
final class SinkErrorsComparisonTest {
    private static final String FUSSY = FussyConverter.class.getName();

    /** A sink that reports records with this value. */
    private static final class Reporting implements Script {
        private final boolean swallows;

        Reporting(boolean swallows) {
            this.swallows = swallows;
        }

        @Override
        public void put(Journal journal, SinkTaskContext context, List<SinkRecord> records) {
            for (SinkRecord record : records) {
                if (String.valueOf(record.value()).startsWith("report")) {
                    try {
                        context.errantRecordReporter().report(record, new IllegalStateException("no such number"));
                    } catch (ConnectException e) {
                        journal.tell("not tolerated");
                        if (!swallows) {
                            throw e;
                        }
                    }
                }
            }
        }
    }

    private static Play untilStopped(String... values) {
        return session -> {
            session.journal().await("preCommit 0", 1);
            session.send("one");
            session.journal().await("preCommit 1", 1);
            for (String value : values) {
                session.send(value);
            }
            session.journal().await("stop", 1);
            session.stop();
        };
    }

    private static Play flushed(String... values) {
        return session -> {
            session.journal().await("preCommit 0", 1);
            long position = 0;
            for (String value : values) {
                session.send(value);
                position++;
                session.journal().await("preCommit " + position, 1);
            }
            session.stop();
        };
    }

    @Test
    void withoutToleranceABadRecordFailsTheTask() throws Exception {
        Outcome outcome = compare(sink(
                "intolerant",
                new Script() {},
                false,
                untilStopped("bad", "two"),
                "value.converter",
                FUSSY,
                "value.converter.of",
                "<name>"));
        assertThat(outcome.flushed()).isEqualTo(1);
        assertThat(outcome.lines()).contains("fails at value bad").doesNotContain("preCommit 2");
    }

    @Test
    void aTolerantOneLeavesItOut() throws Exception {
        Outcome outcome = compare(sink(
                "tolerant",
                new Script() {},
                false,
                flushed("one", "bad", "later but too late", "two"),
                "value.converter",
                FUSSY,
                "value.converter.of",
                "<name>",
                "errors.tolerance",
                "all"));
        assertThat(outcome.flushed()).isEqualTo(4);
        assertThat(outcome.lines().stream().filter(each -> each.startsWith("put ")))
                .hasSize(2);
    }

    @Test
    void aConverterIsTriedAgainForAWhile() throws Exception {
        Outcome outcome = compare(sink(
                "again",
                new Script() {},
                false,
                flushed("one", "later", "two"),
                "value.converter",
                FUSSY,
                "value.converter.of",
                "<name>",
                "errors.retry.timeout",
                "20000",
                "errors.retry.delay.max.ms",
                "50"));
        assertThat(outcome.lines().stream().filter(each -> each.startsWith("fails for now")))
                .hasSize(FussyConverter.REFUSALS);
    }

    @Test
    void deadLettersSayWhatWentWrong() throws Exception {
        Outcome outcome = compare(sink(
                "letters",
                new Reporting(false),
                false,
                session -> {
                    session.journal().await("preCommit 0", 1);
                    session.send("k1", "bad value", Map.of("tenant", "blue"));
                    session.send("bad key", "two", Map.of());
                    session.send("bad key", "bad value with bad key", Map.of());
                    session.send("k4", "four", Map.of("break", "1"));
                    session.send("k5", "report", Map.of("tenant", "red"));
                    session.send("bad key of nothing", null, Map.of());
                    session.journal().await("preCommit 6", 1);
                    session.messages("letters-out", 6);
                    session.stop();
                },
                "key.converter",
                FUSSY,
                "key.converter.of",
                "<name>",
                "value.converter",
                FUSSY,
                "value.converter.of",
                "<name>",
                "transforms",
                "insert",
                "transforms.insert.type",
                "org.apache.kafka.connect.transforms.InsertField$Value",
                "transforms.insert.static.field",
                "a",
                "transforms.insert.static.value",
                "b",
                "transforms.insert.predicate",
                "breaks",
                "predicates",
                "breaks",
                "predicates.breaks.type",
                "org.apache.kafka.connect.transforms.predicates.HasHeaderKey",
                "predicates.breaks.name",
                "break",
                "errors.tolerance",
                "all",
                "errors.deadletterqueue.topic.name",
                "<name>-out",
                "errors.deadletterqueue.topic.replication.factor",
                "1",
                "errors.deadletterqueue.context.headers.enable",
                "true"));
        assertThat(outcome.messages()).hasSize(6);
        assertThat(outcome.messages().stream().map(each -> each.headers().get("__connect.errors.stage")))
                .containsExactlyInAnyOrder(
                        "VALUE_CONVERTER",
                        "KEY_CONVERTER",
                        "KEY_CONVERTER",
                        "TRANSFORMATION",
                        "TASK_PUT",
                        "KEY_CONVERTER");
        assertThat(outcome.flushed()).isEqualTo(6);
    }

    @Test
    void aReportThatIsNotToleratedFailsTheTask() throws Exception {
        Outcome outcome = compare(
                sink("reported", new Reporting(false), false, untilStopped("report"), "errors.log.enable", "true"));
        assertThat(outcome.flushed()).isEqualTo(1);
    }

    /** Kafka Connect commits such a record although it is nowhere; GeoRep keeps it, and the task fails. */
    @Test
    void aTaskThatLooksAwayFromARefusedReport() throws Exception {
        Scenario inConnect =
                sink("away", new Reporting(true), false, flushed("one", "report"), "errors.log.enable", "true");
        Outcome connect = BothHosts.inConnect(inConnect);
        assertThat(connect.lines()).contains("not tolerated", "preCommit 2");
        assertThat(connect.flushed()).isEqualTo(2);

        Outcome georep = BothHosts.inGeoRep(
                sink("away", new Reporting(true), false, untilStopped("report"), "errors.log.enable", "true"));
        assertThat(georep.lines()).contains("not tolerated").doesNotContain("preCommit 2");
        assertThat(georep.flushed()).isEqualTo(1);
    }
}
