package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.RecordingLogger;
import io.georep.RecordingLogger.Line;
import io.georep.Unspeakable;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.OutboxEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class FailureLogTest {
    private static final Duration DELAY = Duration.ofSeconds(1);

    private final RecordingLogger logger = new RecordingLogger();
    private final FailureLog log = new FailureLog("sms", logger);
    private int entries;

    @Test
    void theFirstFailureOfAnEntryIsAWarningAndLaterOnesAreNot() {
        EntryInHand attempt = attempt();

        log.failed(attempt, DELAY, new IOException("operator is down"), 7);
        log.failed(attempt, DELAY, new IOException("operator is down"), 8);

        assertThat(logger.lines()).extracting(Line::level).containsExactly(Level.WARN, Level.DEBUG);
        assertThat(logger.lines().get(0).text())
                .contains("Queue sms")
                .contains(attempt.id.toString())
                .contains("java.io.IOException: operator is down");
    }

    @Test
    void anOutageWritesFewWarningsAndOneLineTellsHowManyWereLeftOut() {
        for (int i = 0; i < 1000; i++) {
            log.failed(attempt(), DELAY, new IOException("operator is down"), 7);
        }
        assertThat(warnings()).hasSize(FailureLog.WARNINGS_MAX);
        log.tellLeftOut(6 + FailureLog.WINDOW_NANOS);
        assertThat(warnings()).hasSize(FailureLog.WARNINGS_MAX);

        log.tellLeftOut(7 + FailureLog.WINDOW_NANOS);
        log.tellLeftOut(8 + FailureLog.WINDOW_NANOS);

        assertThat(warnings()).hasSize(FailureLog.WARNINGS_MAX + 1);
        assertThat(warnings().get(FailureLog.WARNINGS_MAX)).contains("990 more entries failed");
        log.failed(attempt(), DELAY, new IOException("operator is down again"), 9 + FailureLog.WINDOW_NANOS);
        assertThat(warnings()).last().asString().contains("down again");
    }

    @Test
    void aBatchThatFailsAsAWholeIsOneWarning() {
        IOException error = new IOException("operator is down");

        for (int i = 0; i < 5; i++) {
            log.failed(attempt(), DELAY, error, 7);
        }

        assertThat(warnings()).hasSize(1);
    }

    @Test
    void anErrorThatIsAlwaysTheSameObjectIsToldEveryMinute() {
        IOException error = new IOException("operator is down");
        log.failed(attempt(), DELAY, error, 7);
        log.failed(attempt(), DELAY, error, 8);

        log.failed(attempt(), DELAY, error, 8 + FailureLog.WINDOW_NANOS);

        assertThat(warnings()).hasSize(3);
        assertThat(warnings().get(1)).contains("1 more entries");
    }

    @Test
    void anErrorThatCannotBeWrittenDownHoldsUpNothing() {
        log.failed(attempt(), DELAY, new Unspeakable(), 7);

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
                new EntryId(new StreamId(NodeId.of("a"), 1, 0), ++entries), Slice.EMPTY, null, 0, false));
        attempt.failures = 1;
        return attempt;
    }
}
