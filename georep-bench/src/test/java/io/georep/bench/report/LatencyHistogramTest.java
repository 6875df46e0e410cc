package io.georep.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    @Test
    void isExactForSmallValues() {
        LatencyHistogram histogram = new LatencyHistogram();
        for (int i = 1; i <= 100; i++) {
            histogram.record(i);
        }

        assertThat(histogram.percentile(0.5)).isEqualTo(50);
        assertThat(histogram.percentile(0.99)).isEqualTo(99);
        assertThat(histogram.percentile(1)).isEqualTo(100);
        assertThat(histogram.total()).isEqualTo(100);
    }

    @Test
    void staysWithinTwoPercentOfSortedValues() {
        SplittableRandom random = new SplittableRandom(7);
        long[] values = random.longs(10_000, 1, 5_000_000_000L).toArray();
        LatencyHistogram histogram = new LatencyHistogram();
        Arrays.stream(values).forEach(histogram::record);
        Arrays.sort(values);

        for (double share : new double[] {0.01, 0.5, 0.9, 0.99, 0.999}) {
            long exact = values[(int) Math.ceil(share * values.length) - 1];
            assertThat(histogram.percentile(share)).isCloseTo(exact, Percentage.withPercentage(2));
        }
        assertThat(histogram.max()).isEqualTo(values[values.length - 1]);
    }

    @Test
    void countsEveryPowerOfTwoInItsOwnBucket() {
        for (int bit = 0; bit < Long.SIZE - 1; bit++) {
            LatencyHistogram histogram = new LatencyHistogram();
            histogram.record(1L << bit);
            histogram.record(Long.MAX_VALUE);

            assertThat(histogram.percentile(0.5))
                    .isGreaterThanOrEqualTo(1L << bit)
                    .isLessThan((1L << bit) + (1L << bit) / 32 + 1);
        }
    }

    @Test
    void addsAnotherAndSurvivesItsText() {
        LatencyHistogram first = new LatencyHistogram();
        LatencyHistogram second = new LatencyHistogram();
        first.record(10);
        second.record(1_000_000);

        first.add(LatencyHistogram.parse(second.format()));

        assertThat(first.total()).isEqualTo(2);
        assertThat(first.percentile(0.5)).isEqualTo(10);
        assertThat(first.max()).isEqualTo(1_000_000);
    }

    @Test
    void answersZeroWhenEmptyAndCountsNegativesAsZero() {
        LatencyHistogram histogram = new LatencyHistogram();

        assertThat(histogram.percentile(0.99)).isZero();
        histogram.record(-5);
        assertThat(histogram.percentile(0.99)).isZero();
        assertThatThrownBy(() -> histogram.percentile(1.5)).isInstanceOf(IllegalArgumentException.class);
    }
}
