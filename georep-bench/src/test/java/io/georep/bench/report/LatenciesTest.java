package io.georep.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatenciesTest {
    @Test
    void sumsHistogramsOfOtherProcesses() {
        Histogram sum = Latencies.histogram();
        for (long nanos : new long[] {1_500_000, 40_000_000_000L}) {
            Histogram one = Latencies.histogram();
            one.recordValue(nanos);
            sum.add(Latencies.parse(Latencies.format(one)));
        }

        assertThat(sum.getTotalCount()).isEqualTo(2);
        assertThat(Latencies.millis(sum, 50)).isCloseTo(1.5, within(0.002));
        assertThat(Latencies.millis(sum, 100)).isCloseTo(40_000, within(40.0));
    }

    @Test
    void answersZeroWhenNothingWasRecorded() {
        Histogram empty = Latencies.parse(Latencies.format(Latencies.histogram()));

        assertThat(Latencies.millis(empty, 99)).isZero();
    }

    @Test
    void refusesWhatIsNoHistogram() {
        assertThatThrownBy(() -> Latencies.parse("error")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Latencies.parse("AAAA")).isInstanceOf(RuntimeException.class);
    }
}
