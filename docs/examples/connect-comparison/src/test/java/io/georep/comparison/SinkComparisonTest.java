package io.georep.comparison;

import static io.georep.comparison.BothHosts.compare;
import static io.georep.comparison.BothHosts.inConnect;
import static io.georep.comparison.BothHosts.inGeoRep;
import static io.georep.comparison.BothHosts.sink;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.comparison.Scenario.Outcome;
import io.georep.comparison.Scenario.Play;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A sink is told the same by Kafka Connect's worker and by GeoRep's host, in the same order. */
@Tag("servers")
@Timeout(120)
@ExtendWith(BothHosts.class)
final class SinkComparisonTest {
    /** Sends each only when the one before is flushed. */
    private static Play flushedOneByOne(String... values) {
        return session -> {
            session.journal().await("preCommit 0", 1);
            long position = 0;
            for (String value : values) {
                session.send("k", value, Map.of());
                position++;
                session.journal().await("preCommit " + position, 1);
            }
            session.stop();
        };
    }

    @Test
    void recordsLifeAndOffsets() throws Exception {
        Outcome outcome = compare(sink("plain", new Script() {}, false, session -> {
            session.journal().await("preCommit 0", 1);
            session.send("k1", "one", Map.of("tenant", "blue", "count", "7"));
            session.journal().await("preCommit 1", 1);
            session.send(null, "two", Map.of());
            session.journal().await("preCommit 2", 1);
            session.send("k3", null, Map.of());
            session.journal().await("preCommit 3", 1);
            session.stop();
        }));
        assertThat(outcome.flushed()).isEqualTo(3);
        assertThat(outcome.lines()).contains("stop");
    }

    @Test
    void jsonWithSchemas() throws Exception {
        compare(sink(
                "json",
                new Script() {},
                false,
                flushedOneByOne(
                        "{\"schema\":{\"type\":\"int32\",\"optional\":false},\"payload\":7}",
                        "{\"schema\":null,\"payload\":\"text\"}"),
                "value.converter",
                "org.apache.kafka.connect.json.JsonConverter"));
    }

    @Test
    void aRetriableErrorOfPutAfterItsTimeout() throws Exception {
        Outcome outcome = compare(sink(
                "retriable",
                new Script() {
                    @Override
                    public void put(Journal journal, SinkTaskContext context, List<SinkRecord> records) {
                        if (records.get(0).value().equals("two") && journal.count("put") <= 2) {
                            context.timeout(30);
                            throw new RetriableException("not now");
                        }
                    }
                },
                false,
                flushedOneByOne("one", "two", "three")));
        assertThat(outcome.lines().stream().filter(each -> each.contains("=two")))
                .hasSize(3);
    }

    @Test
    void aRetriableErrorWithoutTimeout() throws Exception {
        compare(sink(
                "untimed",
                new Script() {
                    @Override
                    public void put(Journal journal, SinkTaskContext context, List<SinkRecord> records) {
                        if (journal.count("put") <= 2) {
                            throw new RetriableException("not now");
                        }
                    }
                },
                false,
                flushedOneByOne("one", "two")));
    }

    @Test
    void aTaskThatFailsGetsAgainWhatItHasNotFlushed() throws Exception {
        Outcome outcome = compare(sink(
                "fails",
                new Script() {
                    @Override
                    public void put(Journal journal, SinkTaskContext context, List<SinkRecord> records) {
                        if (records.get(0).value().equals("three") && journal.count("three") == 1) {
                            throw new IllegalStateException("broken");
                        }
                    }

                    @Override
                    public Map<TopicPartition, OffsetAndMetadata> preCommit(
                            Journal journal, SinkTaskContext context, Map<TopicPartition, OffsetAndMetadata> current) {
                        return atMost(journal, current, journal.lines().contains("stop") ? 3 : 1);
                    }
                },
                true,
                session -> {
                    session.journal().await("preCommit 0", 1);
                    session.send("one");
                    session.journal().await("preCommit 1", 1);
                    session.send("two");
                    session.journal().await("preCommit 2", 1);
                    session.send("three");
                    session.journal().await("preCommit 3", 1);
                    session.stop();
                }));
        assertThat(outcome.lines().stream().filter(each -> each.equals("start")))
                .hasSize(2);
        assertThat(outcome.lines().stream().filter(each -> each.contains("=two")))
                .hasSize(2);
    }

    private static Map<TopicPartition, OffsetAndMetadata> atMost(
            Journal journal, Map<TopicPartition, OffsetAndMetadata> current, long flushed) {
        Map<TopicPartition, OffsetAndMetadata> less = new HashMap<>();
        current.forEach((partition, offset) ->
                less.put(partition, new OffsetAndMetadata(Math.min(offset.offset(), journal.absolute(flushed)))));
        return less;
    }

    @Test
    void aPartOfWhatWasPutIsFlushed() throws Exception {
        Outcome outcome = compare(sink(
                "part",
                new Script() {
                    @Override
                    public Map<TopicPartition, OffsetAndMetadata> preCommit(
                            Journal journal, SinkTaskContext context, Map<TopicPartition, OffsetAndMetadata> current) {
                        return atMost(journal, current, 2);
                    }
                },
                false,
                flushedOneByOne("one", "two", "three", "four")));
        assertThat(outcome.flushed()).isEqualTo(2);
    }

    @Test
    void nothingIsFlushedIfPreCommitSaysNothing() throws Exception {
        Outcome outcome = compare(sink(
                "nothing",
                new Script() {
                    @Override
                    public Map<TopicPartition, OffsetAndMetadata> preCommit(
                            Journal journal, SinkTaskContext context, Map<TopicPartition, OffsetAndMetadata> current) {
                        return Map.of();
                    }
                },
                false,
                flushedOneByOne("one", "two")));
        assertThat(outcome.flushed()).isZero();
    }

    @Test
    void anOffsetBeyondWhatWasPutIsIgnored() throws Exception {
        Outcome outcome = compare(sink(
                "beyond",
                new Script() {
                    @Override
                    public Map<TopicPartition, OffsetAndMetadata> preCommit(
                            Journal journal, SinkTaskContext context, Map<TopicPartition, OffsetAndMetadata> current) {
                        Map<TopicPartition, OffsetAndMetadata> more = new HashMap<>();
                        current.forEach(
                                (partition, offset) -> more.put(partition, new OffsetAndMetadata(offset.offset() + 1)));
                        return more;
                    }
                },
                false,
                flushedOneByOne("one")));
        assertThat(outcome.flushed()).isZero();
    }

    @Test
    void aFailedFlushGoesBackToTheLastOne() throws Exception {
        Outcome outcome = compare(sink(
                "flush",
                new Script() {
                    @Override
                    public Map<TopicPartition, OffsetAndMetadata> preCommit(
                            Journal journal, SinkTaskContext context, Map<TopicPartition, OffsetAndMetadata> current) {
                        boolean two = current.values().stream().anyMatch(each -> journal.relative(each.offset()) == 2);
                        if (two && journal.count("two") == 1) {
                            throw new IllegalStateException("cannot flush");
                        }
                        return current;
                    }
                },
                false,
                session -> {
                    session.journal().await("preCommit 0", 1);
                    session.send("one");
                    session.journal().await("preCommit 1", 1);
                    session.send("two");
                    session.journal().await("put 1: flush-in null=two STRING STRING CreateTime", 2);
                    session.send("three");
                    session.journal().await("preCommit 3", 1);
                    session.stop();
                }));
        assertThat(outcome.lines().stream().filter(each -> each.contains("=two")))
                .hasSize(2);
        assertThat(outcome.flushed()).isEqualTo(3);
    }

    /** A commit that is due then comes before it in Kafka Connect, and behind it here: docs/use/connectors.md. */
    @Test
    void aTaskGoesBack() throws Exception {
        Scenario back = sink(
                "back",
                new Script() {
                    @Override
                    public void put(Journal journal, SinkTaskContext context, List<SinkRecord> records) {
                        if (records.get(0).value().equals("three") && journal.count("three") == 1) {
                            context.offset(context.assignment().iterator().next(), journal.absolute(1));
                        }
                    }

                    @Override
                    public Map<TopicPartition, OffsetAndMetadata> preCommit(
                            Journal journal, SinkTaskContext context, Map<TopicPartition, OffsetAndMetadata> current) {
                        return atMost(journal, current, 1);
                    }
                },
                false,
                session -> {
                    session.journal().await("preCommit 0", 1);
                    session.send("one");
                    session.journal().await("preCommit 1", 1);
                    session.send("two");
                    session.journal().await("preCommit 2", 1);
                    session.send("three");
                    session.journal().await("put 2: back-in null=three STRING STRING CreateTime", 2);
                    session.send("four");
                    session.journal().await("preCommit 4", 1);
                    session.stop();
                });
        Outcome connect = inConnect(back);
        Outcome georep = inGeoRep(back);

        assertThat(DifferencesTest.puts(connect)).containsExactly("one", "two", "three", "two", "three", "four");
        assertThat(DifferencesTest.puts(georep)).isEqualTo(DifferencesTest.puts(connect));
        assertThat(georep.flushed()).isEqualTo(connect.flushed());
    }

    @Test
    void aTaskPausesItsPartition() throws Exception {
        Outcome outcome = compare(sink(
                "partition",
                new Script() {
                    @Override
                    public void put(Journal journal, SinkTaskContext context, List<SinkRecord> records) {
                        if (records.get(0).value().equals("one")) {
                            context.pause(context.assignment().toArray(TopicPartition[]::new));
                            context.timeout(20);
                        }
                    }

                    @Override
                    public void idle(Journal journal, SinkTaskContext context) {
                        if (journal.lines().contains("sent")) {
                            context.resume(context.assignment().toArray(TopicPartition[]::new));
                        } else {
                            context.timeout(20);
                        }
                    }
                },
                false,
                session -> {
                    session.journal().await("preCommit 0", 1);
                    session.send("one");
                    session.journal().await("preCommit 1", 1);
                    session.send("two");
                    session.journal().tell("sent");
                    session.journal().await("preCommit 2", 1);
                    session.stop();
                }));
        assertThat(outcome.lines().indexOf("sent"))
                .isLessThan(outcome.lines().indexOf("put 1: partition-in null=two STRING STRING CreateTime"));
    }

    @Test
    void aPausedConnectorGetsNothing() throws Exception {
        compare(sink("paused", new Script() {}, false, session -> {
            session.journal().await("preCommit 0", 1);
            session.send("one");
            session.journal().await("preCommit 1", 1);
            session.pause();
            session.send("two");
            session.journal().tell("sent");
            session.resume();
            session.journal().await("preCommit 2", 1);
            session.stop();
        }));
    }

    @Test
    void whatTransformationsLeaveOutIsFlushed() throws Exception {
        Outcome outcome = compare(sink(
                "filtered",
                new Script() {},
                false,
                session -> {
                    session.journal().await("preCommit 0", 1);
                    session.send(null, "one", Map.of("debug", "1"));
                    session.send(null, "two", Map.of("debug", "1"));
                    session.journal().await("preCommit 2", 1);
                    session.send("three");
                    session.journal().await("preCommit 3", 1);
                    session.send(null, "four", Map.of("debug", "1"));
                    session.journal().await("preCommit 4", 1);
                    session.stop();
                },
                "transforms",
                "drop,route",
                "transforms.drop.type",
                "org.apache.kafka.connect.transforms.Filter",
                "transforms.drop.predicate",
                "debug",
                "transforms.route.type",
                "org.apache.kafka.connect.transforms.RegexRouter",
                "transforms.route.regex",
                "(.*)-in",
                "transforms.route.replacement",
                "$1-elsewhere",
                "predicates",
                "debug",
                "predicates.debug.type",
                "org.apache.kafka.connect.transforms.predicates.HasHeaderKey",
                "predicates.debug.name",
                "debug"));
        assertThat(outcome.lines()).contains("put 2: filtered-elsewhere null=three STRING STRING CreateTime");
    }
}
