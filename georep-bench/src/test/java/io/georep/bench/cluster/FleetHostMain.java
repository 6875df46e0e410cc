package io.georep.bench.cluster;

import static org.awaitility.Awaitility.await;

import io.georep.bench.process.ProcessMeter;
import io.georep.flagons.FleetStatistics;
import io.georep.flagons.core.FleetSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * One JVM with nodes of a fleet, for a while: directory, number, nodes, nodes of the fleet, tls, operations per second of this host,
 * milliseconds from one replacement to the next (0: none), seconds to measure. All hosts begin and end together.
 */
final class FleetHostMain {
    /** They count for nothing: code is compiled, and views are mixed. */
    private static final Duration FIRST = Duration.ofSeconds(10);

    private static final Duration OTHERS_WITHIN = Duration.ofMinutes(5);

    /** What this JVM has taken so far. */
    private record Reading(long nanos, long cpuNanos, long loopbackBytes) {
        static Reading now() throws IOException {
            return new Reading(System.nanoTime(), ProcessMeter.cpuNanos(), bytes());
        }

        /** All of the network, so it is only a figure where this JVM and its like have one of their own: {@code unshare -n}. */
        private static long bytes() throws IOException {
            for (String line : Files.readAllLines(Path.of("/proc/net/dev"))) {
                if (line.trim().startsWith("lo:")) {
                    return Long.parseLong(line.trim().split("\\s+")[9]);
                }
            }
            return 0;
        }
    }

    private final Path directory;
    private final int number;
    private final int nodes;
    private final int all;

    private FleetHostMain(Path directory, int number, int nodes, int all) {
        this.directory = directory;
        this.number = number;
        this.nodes = nodes;
        this.all = all;
    }

    public static void main(String[] args) throws Exception {
        new FleetHostMain(
                        Path.of(args[0]),
                        Integer.parseInt(args[1]),
                        Integer.parseInt(args[2]),
                        Integer.parseInt(args[3]))
                .run(
                        Boolean.parseBoolean(args[4]),
                        Double.parseDouble(args[5]),
                        Duration.ofMillis(Long.parseLong(args[6])),
                        Duration.ofSeconds(Long.parseLong(args[7])));
    }

    private void run(boolean tls, double rate, Duration replaceEvery, Duration time) throws Exception {
        try (FleetHost host = new FleetHost(directory, number, FleetSettings.hardened(all), tls)) {
            host.start(nodes, number == 0);
            host.awaitComplete();
            awaitOthers("ready");
            host.go(rate, replaceEvery.isZero() ? null : replaceEvery);
            Reading begin = host.after(FIRST, Reading::now);
            Reading end = host.after(time, Reading::now);
            tell(begin, end);
            host.quiet();
            List<FleetStatistics> statuses = host.statistics();
            System.out.println("complete "
                    + statuses.stream().filter(FleetStatistics::complete).count() + " of " + nodes + "; "
                    + statuses.get(0));
            awaitOthers("done");
        }
    }

    private void tell(Reading begin, Reading end) {
        double seconds = 1e-9 * (end.nanos - begin.nanos);
        System.out.printf(
                Locale.ROOT,
                "host %d: cpu of a node %.2f %% of a core, loopback %.1f KB/s per node of the fleet, %.0f descriptors a node,"
                        + " heap %.1f MB a node%n",
                number,
                1e-7 * (end.cpuNanos - begin.cpuNanos) / seconds / nodes,
                (end.loopbackBytes - begin.loopbackBytes) / 1000.0 / seconds / all,
                ProcessMeter.descriptors(ProcessHandle.current().pid()) / (double) nodes,
                ProcessMeter.liveHeapBytes() / 1e6 / nodes);
    }

    private void awaitOthers(String what) throws IOException {
        Files.createFile(directory.resolve(what + "-" + number));
        await().atMost(OTHERS_WITHIN).until(() -> {
            try (var files = Files.list(directory)) {
                return files.filter(each -> each.getFileName().toString().startsWith(what + "-"))
                                .count()
                        == all / nodes;
            }
        });
    }
}
