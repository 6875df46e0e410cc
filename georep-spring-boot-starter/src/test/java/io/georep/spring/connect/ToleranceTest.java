package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.spring.connect.Tolerance.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.apache.kafka.connect.errors.RetriableException;
import org.junit.jupiter.api.Test;

/** A step is repeated as long as the settings say. */
class ToleranceTest {
    private final List<Long> pauses = new ArrayList<>();
    private int calls;

    private Tolerance tolerance(long timeoutMillis, long pauseMaxMillis, int stopAfter) {
        return new Tolerance(timeoutMillis, pauseMaxMillis, millis -> {
            pauses.add(millis);
            return pauses.size() >= stopAfter;
        });
    }

    private String failing(Tolerance tolerance, int failures) throws RecordFailedException {
        return tolerance.run(Stage.TRANSFORMATION, String.class, () -> {
            if (calls++ < failures) {
                throw new RetriableException("not now");
            }
            return "done";
        });
    }

    @Test
    void aRetriableErrorIsRepeatedWithGrowingPauses() throws RecordFailedException {
        assertThat(failing(tolerance(-1, 60_000, 10), 4)).isEqualTo("done");
        assertThat(pauses).containsExactly(300L, 600L, 1200L, 2400L);
    }

    @Test
    void pausesAreBounded() throws RecordFailedException {
        assertThat(failing(tolerance(-1, 500, 10), 4)).isEqualTo("done");
        assertThat(pauses).first().isEqualTo(300L);
        assertThat(pauses).allMatch(pause -> pause >= 1 && pause <= 500);
    }

    @Test
    void withoutATimeoutNothingIsRepeated() {
        assertThatThrownBy(() -> failing(tolerance(0, 500, 10), 1))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageContaining("TRANSFORMATION")
                .hasMessageContaining("java.lang.String");
        assertThat(pauses).isEmpty();
    }

    @Test
    void anyOtherErrorIsFinal() {
        assertThatThrownBy(() -> tolerance(-1, 500, 10).run(Stage.TRANSFORMATION, String.class, () -> {
                    throw new IllegalStateException("broken");
                }))
                .isInstanceOf(RecordFailedException.class);
    }

    @Test
    void aRecordWhoseTaskStopsHasNotFailed() {
        assertThatThrownBy(() -> failing(tolerance(-1, 500, 2), 100)).isInstanceOf(CancellationException.class);
        assertThat(pauses).hasSize(2);
    }
}
