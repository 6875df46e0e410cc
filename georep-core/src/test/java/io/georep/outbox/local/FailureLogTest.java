package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.RecordingLogger;
import io.georep.RecordingLogger.Line;
import io.georep.Unspeakable;
import io.georep.logging.LimitedLog;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class FailureLogTest {
    private static final long MINUTE = 60_000_000_000L;
    private static final Duration DELAY = Duration.ofSeconds(1);

    private final RecordingLogger logger = new RecordingLogger();
    private long now = 7;
    private final FailureLog log = new FailureLog("sms", () -> now, logger);
    private int entries;

    @Test
    void theFirstFailureOfAnEntryIsAWarningAndLaterOnesAreNot() {
        EntryInHand attempt = attempt();

        log.failed(attempt, DELAY, new IOException("operator is down"));
        log.failed(attempt, DELAY, new IOException("operator is down"));

        assertThat(logger.lines()).extracting(Line::level).containsExactly(Level.WARN, Level.DEBUG);
        assertThat(logger.lines().get(0).text())
                .contains("Queue sms")
                .contains(attempt.id.toString())
                .contains("java.io.IOException: operator is down");
    }

    @Test
    void anOutageWritesFewWarningsAndOneLineTellsHowManyWereLeftOut() {
        for (int i = 0; i < 1000; i++) {
            log.failed(attempt(), DELAY, new IOException("operator is down"));
        }
        assertThat(warnings()).hasSize(LimitedLog.LINES);
        now = 6 + MINUTE;
        log.tellLeftOut();
        assertThat(warnings()).hasSize(LimitedLog.LINES);

        now = 7 + MINUTE;
        log.tellLeftOut();
        now = 8 + MINUTE;
        log.tellLeftOut();

        assertThat(warnings()).hasSize(LimitedLog.LINES + 1);
        assertThat(warnings().get(LimitedLog.LINES)).contains("990 more entries failed");
        now = 9 + MINUTE;
        log.failed(attempt(), DELAY, new IOException("operator is down again"));
        assertThat(warnings()).last().asString().contains("down again");
    }

    /** The name of a queue is the application's. */
    @Test
    void theNameOfAQueueIsNoPlaceForTheNumber() {
        FailureLog odd = new FailureLog("sms{}", () -> now, logger);
        for (int i = 0; i <= LimitedLog.LINES; i++) {
            odd.failed(attempt(), DELAY, new IOException("operator is down"));
        }

        now = 7 + MINUTE;
        odd.tellLeftOut();

        assertThat(warnings()).last().asString().contains("Queue sms{}: 1 more entries failed");
    }

    @Test
    void aBatchThatFailsAsAWholeIsOneWarning() {
        IOException error = new IOException("operator is down");

        for (int i = 0; i < 5; i++) {
            log.failed(attempt(), DELAY, error);
        }

        assertThat(warnings()).hasSize(1);
    }

    @Test
    void anErrorThatIsAlwaysTheSameObjectIsToldEveryMinute() {
        IOException error = new IOException("operator is down");
        log.failed(attempt(), DELAY, error);
        log.failed(attempt(), DELAY, error);

        now = 8 + MINUTE;
        log.failed(attempt(), DELAY, error);

        assertThat(warnings()).hasSize(3);
        assertThat(warnings().get(1)).contains("1 more entries");
    }

    @Test
    void anErrorThatCannotBeWrittenDownHoldsUpNothing() {
        log.failed(attempt(), DELAY, new Unspeakable());

        assertThat(warnings()).singleElement().asString().contains(Unspeakable.class.getName());
    }

    private List<String> warnings() {
        return logger.lines().stream()
                .filter(line -> line.level() == Level.WARN)
                .map(Line::text)
                .toList();
    }

    private EntryInHand attempt() {
        EntryInHand attempt = new EntryInHand(new OutboxEvent.Delivered(
                new EntryId(new StreamId(NodeId.of("a"), 1, 0), ++entries), Slice.EMPTY, null, 0));
        attempt.failures = 1;
        return attempt;
    }
}
