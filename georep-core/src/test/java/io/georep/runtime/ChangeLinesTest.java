package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.RecordingLogger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** Other nodes cause lines about themselves, and one of them may lie or be broken. */
class ChangeLinesTest {
    private final RecordingLogger log = new RecordingLogger();
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10);
    private final ChangeLines lines = new ChangeLines("n1", log, now::get);

    private void write(int count, String event) {
        for (int i = 0; i < count; i++) {
            lines.line(Level.INFO, event).log("{} {}", event, i);
        }
    }

    @Test
    void oneEventFillsNoDiskAndHidesNoOther() {
        write(10_000, "peer-state");
        write(1, "removed");

        assertThat(log.lines()).hasSize(ChangeLines.LINES_MAX + 1);
        assertThat(log.lines().get(ChangeLines.LINES_MAX).fields()).containsEntry("georep.event", "removed");

        now.addAndGet(TimeUnit.MINUTES.toNanos(1));
        write(1, "peer-state");

        assertThat(log.lines()).hasSize(ChangeLines.LINES_MAX + 3);
        RecordingLogger.Line leftOut = log.lines().get(ChangeLines.LINES_MAX + 1);
        assertThat(leftOut.fields())
                .containsEntry("georep.event", "lines-left-out")
                .containsEntry("georep.of", "peer-state");
        assertThat(leftOut.text()).contains("left out " + (10_000 - ChangeLines.LINES_MAX) + " lines");
    }
}
