package io.georep.bench.cluster;

import io.georep.bench.process.Sample;
import io.georep.bench.report.Latencies;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What one run of {@link ClusterBench} showed.
 *
 * @param load what was asked for
 * @param window sums over all nodes of what happened in the window
 * @param machineNanos for how long the processors of this machine worked in the window, for whatever it was
 * @param sends nanoseconds from send to acknowledgement
 * @param cycles nanoseconds from send to deleted everywhere; empty unless the loop waits for that
 * @param residentPeakBytes largest resident memory of all nodes together
 * @param drained whether nothing was left anywhere after the load had stopped
 */
public record ClusterResult(
        ClusterLoad load,
        Sample window,
        long machineNanos,
        Histogram sends,
        Histogram cycles,
        long residentPeakBytes,
        boolean drained) {
    /** Payload and headers of a full segment on Ethernet: what TCP and IP add, when segments are full. */
    private static final double SEGMENT_PAYLOAD = 1448;

    private static final double KEPT_UP = 0.95;

    private static final double SEGMENT_HEADERS = 52;

    /** Returns whether the figures mean anything: entries flowed, no send failed, nothing stayed behind. */
    public boolean sound() {
        return drained && window.get("cycles") > 0 && window.get("failures") == 0 && keptUp();
    }

    /** Whether so many entries were sent as asked for, but for what lies on the borders of the window. */
    private boolean keptUp() {
        return cyclesPerSecond() >= KEPT_UP * load.options().rate * load.options().nodes;
    }

    double seconds() {
        return window.get("nanos") / 1e9 / load.options().nodes;
    }

    double cyclesPerSecond() {
        return window.get("cycles") / seconds();
    }

    double cyclesPerCpuSecond() {
        return window.get("cycles") / (window.get("cpu") / 1e9);
    }

    /** Without the JIT compiler, whose work ends when a process has run for a while. Known on Linux only. */
    double cyclesPerWarmCpuSecond() {
        long compiler = window.values().entrySet().stream()
                .filter(entry ->
                        entry.getKey().startsWith("thread.") && entry.getKey().contains("CompilerThre"))
                .mapToLong(Map.Entry::getValue)
                .sum();
        return window.get("cycles") / ((window.get("cpu") - compiler) / 1e9);
    }

    /** Processors that did something else: kernel threads that write to the disk, this program, other people. */
    double otherCpus() {
        return Math.max(0, machineNanos - window.get("cpu")) / 1e9 / seconds();
    }

    private double perCycle(String name) {
        return (double) window.get(name) / Math.max(1, window.get("cycles"));
    }

    private double cyclesPer(String name) {
        return (double) window.get("cycles") / Math.max(1, window.get(name));
    }

    /** One line with everything, for comparisons between runs. */
    public String json() {
        return String.format(
                Locale.ROOT,
                "{\"bench\":\"cluster\",%s,\"seconds\":%.1f,\"cyclesPerSecond\":%.0f,\"cyclesPerCpuSecond\":%.0f,"
                        + "\"cyclesPerCpuSecondWithoutCompiler\":%.0f,"
                        + "\"cpus\":%.2f,\"otherCpus\":%.2f,\"sendP50Micros\":%.0f,\"sendP99Micros\":%.0f,\"cycleP50Micros\":%.0f,"
                        + "\"cycleP99Micros\":%.0f,\"wireBytesPerEntry\":%.1f,\"ipBytesPerEntry\":%.1f,"
                        + "\"storedBytesPerEntry\":%.1f,\"entriesPerFrame\":%.1f,\"entriesPerBatch\":%.1f,"
                        + "\"entriesPerTurn\":%.1f,\"operationsPerEntry\":%.3f,"
                        + "\"allocatedBytesPerEntry\":%.0f,\"collections\":%d,"
                        + "\"collectionMillis\":%d,\"rssPeakMiB\":%d,\"failures\":%d,\"drained\":%b,\"sound\":%b}",
                load.json(),
                seconds(),
                cyclesPerSecond(),
                cyclesPerCpuSecond(),
                cyclesPerWarmCpuSecond(),
                window.get("cpu") / 1e9 / seconds(),
                otherCpus(),
                1e3 * Latencies.millis(sends, 50),
                1e3 * Latencies.millis(sends, 99),
                1e3 * Latencies.millis(cycles, 50),
                1e3 * Latencies.millis(cycles, 99),
                perCycle("wireBytes"),
                perCycle("wireBytes") * (1 + SEGMENT_HEADERS / SEGMENT_PAYLOAD),
                perCycle("valueBytes"),
                cyclesPer("frames"),
                cyclesPer("batches"),
                cyclesPer("turns"),
                perCycle("operations"),
                perCycle("allocated"),
                window.get("gcs"),
                window.get("gcMillis"),
                residentPeakBytes >> 20,
                window.get("failures"),
                drained,
                sound());
    }

    static String[] headings() {
        return new String[] {
            "durability",
            "clients",
            "loop",
            "entries/s",
            "per CPU-s",
            "w/o compiler",
            "CPUs",
            "p50 ms",
            "p99 ms",
            "wire B",
            "per batch",
            "GC ms",
            "sound"
        };
    }

    String[] cells() {
        return new String[] {
            load.durability().name(),
            Integer.toString(load.clients()),
            load.options().loop.word(),
            String.format(Locale.ROOT, "%,.0f", cyclesPerSecond()),
            String.format(Locale.ROOT, "%,.0f", cyclesPerCpuSecond()),
            String.format(Locale.ROOT, "%,.0f", cyclesPerWarmCpuSecond()),
            String.format(Locale.ROOT, "%.2f", window.get("cpu") / 1e9 / seconds()),
            String.format(Locale.ROOT, "%.2f", Latencies.millis(sends, 50)),
            String.format(Locale.ROOT, "%.2f", Latencies.millis(sends, 99)),
            String.format(Locale.ROOT, "%.0f", perCycle("wireBytes")),
            String.format(Locale.ROOT, "%.1f", cyclesPer("batches")),
            Long.toString(window.get("gcMillis")),
            sound() ? "yes" : "NO"
        };
    }
}
