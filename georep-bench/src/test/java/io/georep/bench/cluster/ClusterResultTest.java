package io.georep.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.bench.process.Program;
import io.georep.bench.process.Sample;
import io.georep.bench.report.Latencies;
import io.georep.model.Durability;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ClusterResultTest {
    private static final long SECOND = 1_000_000_000L;

    private final Map<String, Long> window = new TreeMap<>();
    private final Histogram sends = Latencies.histogram();
    private final Histogram cycles = Latencies.histogram();
    private boolean drained = true;

    /** Three nodes, two seconds, 60,000 entries, three CPU-seconds, one of them the compiler's. */
    ClusterResultTest() {
        window.put("nanos", 3 * 2 * SECOND);
        window.put("cycles", 60_000L);
        window.put("cpu", 3 * SECOND);
        window.put("thread.CN CompilerThre", SECOND);
        window.put("thread.georep-node", SECOND);
    }

    private ClusterResult result() {
        ClusterLoad load = new ClusterLoad(Durability.OS, 100, Program.parse(new LoadOptions()));
        return new ClusterResult(load, new Sample(window), 4 * SECOND, sends, cycles, 700L << 20, drained);
    }

    @Test
    void dividesTheWindowByItsLengthAndByTheProcessorTime() {
        ClusterResult result = result();

        assertThat(result.seconds()).isEqualTo(2.0);
        assertThat(result.cyclesPerSecond()).isEqualTo(30_000.0);
        assertThat(result.cyclesPerCpuSecond()).isEqualTo(20_000.0);
    }

    @Test
    void leavesTheCompilerOutOfWarmFigures() {
        assertThat(result().cyclesPerWarmCpuSecond()).isEqualTo(30_000.0);
    }

    @Test
    void isSoundOnlyWhenEntriesFlowedNoneFailedAndNothingWasLeft() {
        assertThat(result().sound()).isTrue();

        window.put("failures", 1L);
        assertThat(result().sound()).isFalse();

        window.put("failures", 0L);
        window.put("cycles", 0L);
        assertThat(result().sound()).isFalse();

        window.put("cycles", 1L);
        drained = false;
        assertThat(result().sound()).isFalse();
    }

    @Test
    void printsOneLineOfJson() {
        window.put("wireBytes", 24_000_000L);
        window.put("valueBytes", 21_000_000L);
        window.put("batches", 3_000L);
        window.put("turns", 6_000L);
        window.put("frames", 12_000L);
        window.put("operations", 6_000L);
        window.put("allocated", 54_000_000L);
        for (int i = 1; i <= 100; i++) {
            sends.recordValue(i * 1_000L);
        }

        String json = result().json();

        assertThat(json)
                .startsWith("{\"bench\":\"cluster\",\"durability\":\"OS\",\"clients\":100,\"rate\":0,\"loop\":\"send\"")
                .contains(
                        "\"cyclesPerSecond\":30000,\"cyclesPerCpuSecond\":20000,"
                                + "\"cyclesPerCpuSecondWithoutCompiler\":30000,\"cpus\":1.50,\"otherCpus\":0.50",
                        "\"sendP50Micros\":50,",
                        "\"cycleP50Micros\":0,",
                        "\"wireBytesPerEntry\":400.0,",
                        "\"storedBytesPerEntry\":350.0,",
                        "\"entriesPerFrame\":5.0,\"entriesPerBatch\":20.0,\"entriesPerTurn\":10.0,"
                                + "\"operationsPerEntry\":0.100,\"allocatedBytesPerEntry\":900,",
                        "\"rssPeakMiB\":700,\"failures\":0,\"drained\":true,\"sound\":true}")
                .doesNotContain("\n", "NaN", "Infinity");
    }

    @Test
    void printsNumbersEvenWhenNothingHappened() {
        window.put("cycles", 0L);

        assertThat(result().json()).doesNotContain("NaN", "Infinity");
    }

    @Test
    void hasACellForEveryHeading() {
        assertThat(result().cells()).hasSameSizeAs(ClusterResult.headings());
    }
}
