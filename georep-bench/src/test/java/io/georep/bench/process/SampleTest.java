package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SampleTest {
    @Test
    void aWindowIsWhatChangedBetweenItsEnds() {
        Sample before = new Sample(Map.of("cycles", 100L, "cpu", 7L));
        Sample after = new Sample(Map.of("cycles", 350L, "cpu", 7L, "failures", 2L));

        Sample window = after.since(before);

        assertThat(window.values())
                .containsExactlyInAnyOrderEntriesOf(Map.of("cycles", 250L, "cpu", 0L, "failures", 2L));
    }

    @Test
    void sumsByName() {
        Sample one = new Sample(Map.of("cycles", 1L, "only-here", 5L));
        Sample other = new Sample(Map.of("cycles", 2L, "only-there", 6L));

        Sample sum = one.plus(other);

        assertThat(sum.values())
                .containsExactlyInAnyOrderEntriesOf(Map.of("cycles", 3L, "only-here", 5L, "only-there", 6L));
    }

    @Test
    void survivesItsText() {
        Sample sample = new Sample(Map.of("thread.C=N CompilerThre", 3L, "cycles", -4L));

        assertThat(Sample.parse(sample.format()).values()).isEqualTo(sample.values());
        assertThat(Sample.parse("").values()).isEmpty();
    }

    @Test
    void takesWhatIsMissingForZero() {
        assertThat(new Sample(Map.of()).get("cycles")).isZero();
    }
}
