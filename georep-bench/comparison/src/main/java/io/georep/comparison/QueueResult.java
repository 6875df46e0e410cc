package io.georep.comparison;

import io.georep.bench.report.Latencies;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * What one run of {@link QueueBench} showed.
 *
 * @param durability what an acknowledged entry has behind it
 * @param clients closed-loop clients for each node
 * @param ended entries that went the whole way within the window
 * @param use of the machine within the window
 * @param sends nanoseconds from send to acknowledgement
 * @param residentBytes of all processes, at the end of the window
 * @param sound whether nothing failed and nothing was left over
 */
record QueueResult(
        QueueProduct product,
        String durability,
        int clients,
        int round,
        long ended,
        MachineUse use,
        Histogram sends,
        long residentBytes,
        boolean sound) {
    private double perSecond() {
        return ended / (use.nanos() / 1e9);
    }

    private double perCpuSecond() {
        return ended / (use.cpuNanos() / 1e9);
    }

    private double loopbackBytes() {
        return (double) use.loopbackBytes() / Math.max(1, ended);
    }

    /** Processors that somebody else used: the kernel, or other programs. */
    private double otherCpus() {
        return (double) (use.busyNanos() - use.cpuNanos()) / use.nanos();
    }

    private double micros(double percentage) {
        return 1e3 * Latencies.millis(sends, percentage);
    }

    /** One line with everything. */
    String json() {
        return String.format(
                Locale.ROOT,
                "{\"bench\":\"peers\",\"product\":\"%s\",\"durability\":\"%s\",\"clients\":%d,\"round\":%d,"
                        + "\"entriesPerSecond\":%.0f,\"entriesPerCpuSecond\":%.0f,\"sendP50Micros\":%.0f,"
                        + "\"sendP99Micros\":%.0f,\"rssMiB\":%d,\"loopbackBytesPerEntry\":%.1f,\"cpus\":%.2f,"
                        + "\"otherCpus\":%.2f,\"sound\":%b}",
                product,
                durability,
                clients,
                round,
                perSecond(),
                perCpuSecond(),
                micros(50),
                micros(99),
                residentBytes >> 20,
                loopbackBytes(),
                (double) use.cpuNanos() / use.nanos(),
                otherCpus(),
                sound);
    }

    static String[] headings() {
        return new String[] {
            "product, durability",
            "clients",
            "round",
            "entries/s",
            "per CPU-s",
            "p50 ms",
            "p99 ms",
            "MiB",
            "loopback B",
            "others' CPUs",
            "sound"
        };
    }

    String[] cells() {
        return new String[] {
            product + ", " + durability,
            Integer.toString(clients),
            Integer.toString(round),
            String.format(Locale.ROOT, "%.0f", perSecond()),
            String.format(Locale.ROOT, "%.0f", perCpuSecond()),
            String.format(Locale.ROOT, "%.2f", micros(50) / 1e3),
            String.format(Locale.ROOT, "%.2f", micros(99) / 1e3),
            Long.toString(residentBytes >> 20),
            String.format(Locale.ROOT, "%.0f", loopbackBytes()),
            String.format(Locale.ROOT, "%.2f", otherCpus()),
            sound ? "yes" : "NO"
        };
    }
}
