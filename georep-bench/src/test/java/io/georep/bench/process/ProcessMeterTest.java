package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ProcessMeterTest {
    private static final String TIMES = " S 1 1 1 0 -1 4194304 100 0 0 0 %d %d 0 0 20 0 30 0 500";

    @Test
    void addsUserAndSystemTimeOfThreadsThatDifferInNumbersOnly() {
        Map<String, Long> nanos = new TreeMap<>();

        ProcessMeter.addThread("71 (C2 CompilerThre)" + String.format(TIMES, 20, 5), nanos);
        ProcessMeter.addThread("72 (C1 CompilerThre)" + String.format(TIMES, 3, 2), nanos);

        assertThat(nanos).containsExactly(entry("CN CompilerThre", 300_000_000L));
    }

    @Test
    void readsNamesWithParenthesesAndSpaces() {
        Map<String, Long> nanos = new TreeMap<>();

        ProcessMeter.addThread("7 (a (b) c=d;e)" + String.format(TIMES, 1, 0), nanos);

        assertThat(nanos).containsExactly(entry("a (b) c_d_e", 10_000_000L));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void readsThisProcess() {
        assertThat(ProcessMeter.threadNanos()).isNotEmpty();
        assertThat(ProcessMeter.residentBytes()).isPositive();
        assertThat(ProcessMeter.residentPeakBytes()).isGreaterThanOrEqualTo(ProcessMeter.residentBytes() / 2);
        assertThat(ProcessMeter.cpuNanos()).isPositive();
    }
}
