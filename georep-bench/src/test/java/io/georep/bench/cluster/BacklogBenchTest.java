package io.georep.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BacklogBenchTest {
    @Test
    void waitsLongerForMoreEntries() {
        assertThat(BacklogBench.phaseWithin(0)).isEqualTo(Duration.ofMinutes(2));
        assertThat(BacklogBench.phaseWithin(10_000_000)).isGreaterThan(Duration.ofHours(1));
        assertThat(BacklogBench.phaseWithin(10_000_000)).isLessThan(Duration.ofHours(2));
    }
}
