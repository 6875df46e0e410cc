package io.georep.logging;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.RecordingLogger;
import io.georep.RecordingLogger.Line;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class LimitedLogTest {
    private final RecordingLogger logger = new RecordingLogger();
    private long now = -7;
    private final LimitedLog log = new LimitedLog(logger, lines -> lines + " left out", () -> now);

    private List<String> lines() {
        return logger.lines().stream().map(Line::text).toList();
    }

    @Test
    void writesTheFirstLinesOfAMinute() {
        for (int i = 0; i < 1000; i++) {
            log.warn("line with {}");
        }

        assertThat(lines()).hasSize(LimitedLog.LINES).containsOnly("line with {}");
    }

    @Test
    void saysHowManyLinesWereLeftOut() {
        for (int i = 0; i < LimitedLog.LINES + 7; i++) {
            log.error("line {}", i, new IllegalStateException());
        }
        now += TimeUnit.MINUTES.toNanos(1) - 1;
        log.warn("still the same minute");
        now++;

        log.error("next {}", 1, new IllegalStateException());
        log.warn("after");

        assertThat(lines().subList(LimitedLog.LINES, lines().size())).containsExactly("8 left out", "next 1", "after");
        assertThat(logger.lines())
                .extracting(Line::level)
                .startsWith(Level.ERROR)
                .endsWith(Level.WARN, Level.ERROR, Level.WARN);
    }

    @Test
    void aMinuteWithoutLinesHasNoneLeftOut() {
        log.warn("line");
        now += TimeUnit.MINUTES.toNanos(1);

        log.tellLeftOut();

        assertThat(lines()).containsExactly("line");
    }
}
