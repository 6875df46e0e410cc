package io.georep.comparison;

import static io.georep.comparison.BothHosts.comparable;
import static io.georep.comparison.BothHosts.inConnect;
import static io.georep.comparison.BothHosts.inGeoRep;
import static io.georep.comparison.BothHosts.source;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.comparison.Scenario.Outcome;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A source is told the same by both hosts, finds the same offsets, and the same records come out. */
@Tag("servers")
@Timeout(120)
@ExtendWith(BothHosts.class)
final class SourceComparisonTest {
    private static final String FUSSY = FussyConverter.class.getName();

    /** Gives these texts, two in a call, from where its offset is. */
    private static class Texts implements Script {
        private final String topic;
        private final List<String> texts;

        Texts(String name, String... texts) {
            this.topic = name + "-out";
            this.texts = List.of(texts);
        }

        @Override
        public List<SourceRecord> poll(Journal journal, Map<String, Object> offset) {
            Object before = offset == null ? null : offset.get("n");
            int first = before == null ? 0 : ((Number) before).intValue();
            return texts.subList(first, Math.min(texts.size(), first + 2)).stream()
                    .map(text -> record(text, texts.indexOf(text) + 1))
                    .toList();
        }

        SourceRecord record(String text, int next) {
            SourceRecord record =
                    new SourceRecord(ScriptedSource.PARTITION, next(next), topic, null, "k" + next, null, text);
            record.headers().addString("n", Integer.toString(next));
            return record;
        }

        Map<String, Object> next(int number) {
            return Map.of("n", number);
        }
    }

    /** The same records, the same commits, the same life; only calls of different threads may be mixed differently. */
    private static Outcome compare(Scenario scenario) throws Exception {
        Outcome connect = inConnect(scenario);
        Outcome georep = inGeoRep(scenario);
        assertThat(life(georep)).isEqualTo(life(connect));
        assertThat(commits(georep)).containsExactlyInAnyOrderElementsOf(commits(connect));
        assertThat(comparable(georep)).isEqualTo(comparable(connect));
        return connect;
    }

    private static List<String> life(Outcome outcome) {
        return outcome.lines().stream()
                .filter(each -> !each.startsWith("committed"))
                .toList();
    }

    private static List<String> commits(Outcome outcome) {
        return outcome.lines().stream()
                .filter(each -> each.startsWith("committed"))
                .toList();
    }

    private static void again(Scenario.Session session, int life) throws Exception {
        session.stop();
        session.journal().await("stop", life);
        session.resume();
        session.journal().await("start", life + 1);
    }

    @Test
    void recordsCommitsAndOffsets() throws Exception {
        Outcome outcome = compare(source("texts", new Texts("texts", "one", "two", "three"), false, session -> {
            session.journal().await("committed three", 1);
            again(session, 1);
            session.stop();
        }));
        assertThat(commits(outcome)).containsExactlyInAnyOrder("committed one", "committed two", "committed three");
        assertThat(outcome.lines()).contains("offset none", "offset {n=3 Long}");
        assertThat(outcome.messages()).hasSize(3);
    }

    @Test
    void offsetsComeBackAsTheSameTypes() throws Exception {
        Texts script = new Texts("types", "one") {
            @Override
            Map<String, Object> next(int number) {
                Map<String, Object> offset = new HashMap<>(
                        Map.of("n", number, "long", 1L << 40, "text", "caf\u00e9", "truth", true, "fraction", 0.25));
                offset.put("single", 1.5f);
                offset.put("nothing", null);
                return offset;
            }
        };
        compare(source("types", script, false, session -> {
            session.journal().await("committed one", 1);
            again(session, 1);
            session.stop();
        }));
    }

    @Test
    void aRecordWithoutOffsetForgetsTheStoredOne() throws Exception {
        Texts script = new Texts("forgets", "one", "two", "three") {
            @Override
            public List<SourceRecord> poll(Journal journal, Map<String, Object> offset) {
                return journal.count("poll") == 1
                        ? List.of(record("one", 1), record("two", 2))
                        : Collections.frequency(journal.lines(), "start") == 2 && journal.count("null") == 1
                                ? List.of(new SourceRecord(
                                        ScriptedSource.PARTITION, null, "forgets-out", null, "k3", null, "three"))
                                : List.of();
            }
        };
        Outcome outcome = compare(source("forgets", script, false, session -> {
            session.journal().await("committed two", 1);
            again(session, 1);
            session.journal().await("committed three", 1);
            again(session, 2);
            session.stop();
        }));
        assertThat(outcome.lines().stream().filter(each -> each.equals("offset none")))
                .hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void aRetriableErrorOfPoll() throws Exception {
        Texts script = new Texts("polls", "one") {
            @Override
            public List<SourceRecord> poll(Journal journal, Map<String, Object> offset) {
                if (journal.count("poll") <= 3) {
                    journal.tell("poll fails");
                    throw new RetriableException("away");
                }
                return super.poll(journal, offset);
            }
        };
        compare(source("polls", script, false, session -> {
            session.journal().await("committed one", 1);
            session.stop();
        }));
    }

    @Test
    void aPollThatFailsBeginsAgainAfterWhatIsSafe() throws Exception {
        Texts script = new Texts("breaks", "one", "two", "three", "four") {
            @Override
            public List<SourceRecord> poll(Journal journal, Map<String, Object> offset) {
                if (offset != null
                        && offset.get("n") instanceof Number n
                        && n.intValue() == 2
                        && journal.count("two") == 1) {
                    throw new IllegalStateException("broken");
                }
                return super.poll(journal, offset);
            }
        };
        Outcome outcome = compare(source("breaks", script, true, session -> {
            session.journal().await("committed four", 1);
            session.stop();
        }));
        assertThat(outcome.lines()).contains("offset {n=2 Long}");
        assertThat(commits(outcome)).hasSize(4);
    }

    @Test
    void aBadRecordFailsTheTaskAfterThoseBeforeItAreSafe() throws Exception {
        Outcome outcome = compare(source(
                "spoilt",
                new Texts("spoilt", "one", "two", "three", "bad"),
                false,
                session -> {
                    session.journal().await("stop", 1);
                    again(session, 1);
                    session.journal().await("stop", 2);
                    session.stop();
                },
                "value.converter",
                FUSSY,
                "value.converter.of",
                "<name>"));
        assertThat(commits(outcome)).containsExactlyInAnyOrder("committed one", "committed two", "committed three");
        assertThat(outcome.lines()).contains("offset {n=3 Long}");
    }

    @Test
    void aBadRecordIsLeftOutIfThatIsTolerated() throws Exception {
        Outcome outcome = compare(source(
                "mixed",
                new Texts("mixed", "one", "bad", "later", "four"),
                false,
                session -> {
                    session.journal().await("committed four", 1);
                    session.stop();
                },
                "value.converter",
                FUSSY,
                "value.converter.of",
                "<name>",
                "errors.tolerance",
                "all",
                "errors.retry.timeout",
                "20000",
                "errors.retry.delay.max.ms",
                "50"));
        assertThat(commits(outcome)).contains("committed bad without entry", "committed later");
        assertThat(outcome.messages()).hasSize(3);
    }

    /** Kafka Connect begins again before records that were left out at the end; GeoRep has their offsets. */
    @Test
    void whatTransformationsLeaveOutIsCommitted() throws Exception {
        Scenario scenario = source(
                "left",
                new Texts("left", "one", "drop two", "three", "drop four"),
                false,
                session -> {
                    session.journal().await("committed drop four without entry", 1);
                    session.journal().await("committed three", 1);
                    again(session, 1);
                    session.stop();
                },
                "transforms",
                "drop",
                "transforms.drop.type",
                LeaveOut.class.getName());
        Outcome connect = inConnect(scenario);
        Outcome georep = inGeoRep(scenario);
        assertThat(comparable(georep)).isEqualTo(comparable(connect)).hasSize(2);
        assertThat(commits(georep))
                .as("in the order of the source")
                .containsExactly(
                        "committed one",
                        "committed drop two without entry",
                        "committed three",
                        "committed drop four without entry");
        assertThat(commits(connect).stream().distinct()).containsExactlyInAnyOrderElementsOf(commits(georep));
        assertThat(connect.lines()).contains("offset {n=3 Long}").doesNotContain("offset {n=4 Long}");
        assertThat(georep.lines()).contains("offset {n=4 Long}").doesNotContain("offset {n=3 Long}");
    }
}
