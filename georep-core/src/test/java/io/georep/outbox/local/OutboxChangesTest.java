package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.georep.RecordingLogger;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.runtime.IdleHandle;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each change of what a node holds is one line whose ids are in the text and in fields. */
class OutboxChangesTest {
    private static final NodeId N2 = NodeId.of("n2");

    private final RecordingLogger log = new RecordingLogger();
    private final OutboxChanges changes = new OutboxChanges("n1", log);
    private final OutboxEvents events =
            new OutboxEvents(new IdleHandle<>("n1"), Map.of(), new SendBudget(1, 1), changes);

    private RecordingLogger.Line only(OutboxEvent event) {
        events.route(event);
        return only();
    }

    private RecordingLogger.Line only() {
        assertThat(log.lines()).hasSize(1);
        RecordingLogger.Line line = log.lines().get(0);
        assertThat(line.fields()).containsEntry("georep.node", "n1");
        assertThat(line.text()).contains("n1").doesNotContain("{}");
        line.fields().forEach((key, value) -> {
            if (!key.equals("georep.event")) {
                assertThat(line.text()).as("value of %s", key).contains(value);
            }
        });
        return line;
    }

    @Test
    void tellsWhereEntriesGo() {
        assertThat(only(new OutboxEvent.Ceded(N2, 5)).fields())
                .contains(entry("georep.event", "ceded"), entry("georep.peer", "n2"), entry("georep.entries", "5"));
        log.clear();
        assertThat(only(new OutboxEvent.CopiesMissing("mail", N2, 7)).fields())
                .contains(
                        entry("georep.event", "copies-missing"),
                        entry("georep.queue", "mail"),
                        entry("georep.peer", "n2"),
                        entry("georep.entries", "7"));
        log.clear();
        assertThat(only(new OutboxEvent.CopiesRestored("mail", N2)).fields())
                .contains(entry("georep.event", "copies-restored"), entry("georep.peer", "n2"));
        log.clear();
        assertThat(only(new OutboxEvent.AdoptionPaused(Duration.ofMinutes(90))).fields())
                .contains(entry("georep.event", "adoption-paused"), entry("georep.left", "PT1H30M"));
        log.clear();
        assertThat(only(new OutboxEvent.AdoptionPaused(Duration.ZERO)).fields())
                .contains(entry("georep.event", "adoption-resumed"));
        log.clear();
        assertThat(only(new OutboxEvent.UndecidedFound("mail", 3)).fields())
                .contains(
                        entry("georep.event", "undecided"),
                        entry("georep.queue", "mail"),
                        entry("georep.entries", "3"));
        log.clear();
        changes.adopted(new OutboxEvent.Adopted("mail", N2, 4));
        assertThat(only().fields())
                .contains(
                        entry("georep.event", "adopted"),
                        entry("georep.queue", "mail"),
                        entry("georep.peer", "n2"),
                        entry("georep.entries", "4"));
    }

    /** The second line says what is missing, once per queue. */
    @Test
    void tellsOncePerQueueThatNobodyOpenedIt() {
        events.route(new OutboxEvent.Adopted("mail", N2, 4));
        events.route(new OutboxEvent.Adopted("mail", N2, 1));

        assertThat(log.lines())
                .extracting(line -> line.fields().get("georep.event"))
                .containsExactly("adopted", "unopened", "adopted");
    }

    /** A peer with a limited certificate can invent names as well. */
    @Test
    void tellsOfSoManyQueuesThatNobodyOpenedAndNoMore() {
        for (int i = 0; i < 2 * OutboxEvents.UNOPENED_MAX; i++) {
            events.route(new OutboxEvent.Adopted("mail" + i, N2, 1));
            events.route(new OutboxEvent.UndecidedFound("mail" + i, 1));
        }
        assertThat(log.lines()).hasSize(3 * OutboxEvents.UNOPENED_MAX);
        log.clear();

        events.route(new OutboxEvent.Adopted("mail0", N2, 1));
        assertThat(log.lines()).hasSize(1);
    }

    @Test
    void tellsQueuesAndDeadLetters() {
        EntryId id = new EntryId(new StreamId(N2, 1, 0), 42);
        changes.deadLetter("mail", id, 3, "no such number");
        assertThat(only().fields())
                .contains(
                        entry("georep.event", "dead-letter"),
                        entry("georep.queue", "mail"),
                        entry("georep.entry", "n2:1:0:42"),
                        entry("georep.attempts", "3"));
        log.clear();
        changes.paused("mail", true);
        assertThat(only().fields()).contains(entry("georep.event", "paused"), entry("georep.queue", "mail"));
        log.clear();
        changes.paused("mail", false);
        assertThat(only().fields()).containsEntry("georep.event", "resumed");
    }
}
