package io.georep.comparison;

import static io.georep.comparison.BothHosts.inConnect;
import static io.georep.comparison.BothHosts.inGeoRep;
import static io.georep.comparison.BothHosts.sink;
import static io.georep.comparison.BothHosts.source;
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
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Where the two hosts differ: docs/use/connectors.md says how. */
@Tag("servers")
@Timeout(120)
@ExtendWith(BothHosts.class)
final class DifferencesTest {
    /** The values in the order of their puts. */
    static List<String> puts(Outcome outcome) {
        return outcome.lines().stream()
                .filter(each -> each.startsWith("put "))
                .map(each -> each.replaceAll(".*=(\\w+) .*", "$1"))
                .toList();
    }

    private static Play sends(String awaited, int times, String... values) {
        return session -> {
            session.journal().await("preCommit 0", 1);
            for (String value : values) {
                session.send(value);
            }
            session.journal().await(awaited, times);
            session.stop();
        };
    }

    private static void goBackTo(Journal journal, SinkTaskContext context, long offset) {
        context.offset(context.assignment().iterator().next(), journal.absolute(offset));
    }

    @Test
    void whatWasFlushedIsGone() throws Exception {
        Script script = new Script() {
            @Override
            public void idle(Journal journal, SinkTaskContext context) {
                if (journal.lines().contains("preCommit 2") && journal.count("back") == 1) {
                    journal.tell("goes back");
                    goBackTo(journal, context, 0);
                    context.requestCommit();
                }
                context.timeout(20);
            }
        };
        Outcome connect = inConnect(sink(
                "gone", script, false, sends("put 1: gone-in null=two STRING STRING CreateTime", 2, "one", "two")));
        Outcome georep = inGeoRep(sink("gone", script, false, sends("goes back", 1, "one", "two")));

        assertThat(puts(connect)).containsExactly("one", "two", "one", "two");
        assertThat(puts(georep)).containsExactly("one", "two");
        assertThat(georep.flushed()).isEqualTo(2);
    }

    @Test
    void aTaskThatGoesBackWhileABatchWaits() throws Exception {
        Script script = new Script() {
            @Override
            public void put(Journal journal, SinkTaskContext context, List<SinkRecord> records) {
                if (records.get(0).value().equals("two") && journal.count("two") == 1) {
                    goBackTo(journal, context, 0);
                    context.timeout(20);
                    throw new RetriableException("not now");
                }
                if (records.get(0).value().equals("two") && puts(journal).endsWith("one,two")) {
                    journal.tell("both again");
                }
            }

            private static String puts(Journal journal) {
                return String.join(",", DifferencesTest.puts(new Outcome(journal.lines(), 0, List.of())));
            }

            @Override
            public Map<TopicPartition, OffsetAndMetadata> preCommit(
                    Journal journal, SinkTaskContext context, Map<TopicPartition, OffsetAndMetadata> current) {
                return Map.of();
            }
        };
        Play play = sends("both again", 1, "one", "two");
        Outcome connect = inConnect(sink("waits", script, false, play));
        Outcome georep = inGeoRep(sink("waits", script, false, play));

        assertThat(puts(connect)).as("the batch first").containsExactly("one", "two", "two", "one", "two");
        assertThat(puts(georep)).as("only from there on").containsExactly("one", "two", "one", "two");
    }

    @Test
    void bytesInAnOffset() throws Exception {
        Script script = new Script() {
            @Override
            public List<SourceRecord> poll(Journal journal, Map<String, Object> offset) {
                Map<String, Object> next = new HashMap<>(Map.of("raw", new byte[] {1, 2, 3}));
                return offset != null
                        ? List.of()
                        : List.of(new SourceRecord(ScriptedSource.PARTITION, next, "raw-out", null, "k", null, "one"));
            }
        };
        Play play = session -> {
            session.journal().await("committed one", 1);
            session.stop();
            session.journal().await("stop", 1);
            session.resume();
            session.journal().await("start", 2);
            session.stop();
        };
        assertThat(inConnect(source("raw", script, false, play)).lines()).contains("offset {raw=AQID String}");
        assertThat(inGeoRep(source("raw", script, false, play)).lines()).contains("offset {raw=3 byte[]}");
    }
}
