package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.bench.process.Sample;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AgeCurveTest {
    private final AgeCurve curve = new AgeCurve();

    private static AgeCurve.Reading reading(long boot, long cpuNanos, long heapMiB) {
        return new AgeCurve.Reading(
                boot,
                new Sample(Map.of(
                        AgeCurve.CPU,
                        cpuNanos,
                        AgeCurve.HEAP,
                        heapMiB << 20,
                        AgeCurve.RESIDENT,
                        100L << 20,
                        AgeCurve.SENT,
                        2 * cpuNanos)),
                50 << 20);
    }

    @Test
    void ratesCountTheProcessesThatLasted() {
        curve.add(0, 0, List.of(reading(1, 0, 10), reading(1, 0, 10)));
        assertThat(curve.add(1, 100, List.of(reading(1, 5_000_000, 10), reading(2, 9_000_000, 30))))
                .contains("100.0 us CPU and 200000 bytes sent per entry", "live heap 20.00 MiB", "1 of 2 processes");
    }

    @Test
    void aNodeThatDoesNotAnswerIsLeftOut() {
        curve.add(0, 0, List.of(reading(1, 0, 10), reading(1, 0, 10)));
        assertThat(curve.add(1, 100, List.of(reading(1, 5_000_000, 10), new AgeCurve.Reading(1, null, 0))))
                .contains("live heap 10.00 MiB", "1 of 2 processes");
    }

    @Test
    void theVerdictComparesTheFirstTenthWithTheLast() {
        for (int minute = 0; minute <= 20; minute++) {
            curve.add(minute, 100L * minute, List.of(reading(1, 1_000_000L * minute, minute < 10 ? 10 : 11)));
        }
        assertThat(String.join("\n", curve.verdict()))
                .containsPattern("CPU us/entry +10.00 +10.00 +10.00 +\\+0.0 % +flat")
                .containsPattern("live heap MiB +10.00 +10.50 +11.00 +\\+10.0 % +GREW");
    }

    @Test
    void fewReadingsMeanNothing() {
        curve.add(0, 0, List.of(reading(1, 0, 10)));
        curve.add(1, 1, List.of(reading(1, 1, 10)));

        assertThat(curve.verdict()).isEmpty();
    }
}
