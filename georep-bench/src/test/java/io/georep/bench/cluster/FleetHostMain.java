package io.georep.bench.cluster;

import io.georep.bench.process.ProcessMeter;
import io.georep.flagons.FleetStatistics;
import io.georep.flagons.core.FleetSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * One JVM with nodes of a fleet, for a while: directory, number, nodes, nodes of the fleet, tls, operations per second of this host,
 * milliseconds from one replacement to the next (0: none), seconds to wait, seconds to measure.
 */
final class FleetHostMain {
    private FleetHostMain() {}

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        int number = Integer.parseInt(args[1]);
        int nodes = Integer.parseInt(args[2]);
        int all = Integer.parseInt(args[3]);
        double rate = Double.parseDouble(args[5]);
        long replace = Long.parseLong(args[6]);
        long seconds = Long.parseLong(args[8]);
        try (FleetHost host =
                new FleetHost(directory, number, FleetSettings.hardened(all), Boolean.parseBoolean(args[4]))) {
            host.start(nodes, number == 0);
            Thread.sleep(1000 * Long.parseLong(args[7]));
            host.go(rate, replace == 0 ? null : Duration.ofMillis(replace));
            // The first seconds count for nothing: code is compiled, and views are mixed.
            Thread.sleep(10_000);
            long cpu = ProcessMeter.cpuNanos();
            long bytes = loopbackBytes();
            Thread.sleep(1000 * seconds);
            double per = 1e-9 * (ProcessMeter.cpuNanos() - cpu) / seconds / nodes;
            System.out.printf(
                    "host %d: cpu of a node %.2f %% of a core, loopback %.1f KB/s per node of the fleet, %.0f descriptors a node,"
                            + " heap %.1f MB a node%n",
                    number,
                    100 * per,
                    (loopbackBytes() - bytes) / 1000.0 / seconds / all,
                    ProcessMeter.descriptors(ProcessHandle.current().pid()) / (double) nodes,
                    ProcessMeter.liveHeapBytes() / 1e6 / nodes);
            host.quiet();
            Thread.sleep(15_000);
            List<FleetStatistics> statuses = host.statistics();
            System.out.println("complete "
                    + statuses.stream().filter(FleetStatistics::complete).count() + " of " + nodes + "; "
                    + statuses.get(0));
        }
    }

    /** All of the network, so it is only a figure where this JVM and its like have one of their own: {@code unshare -n}. */
    private static long loopbackBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/net/dev"))) {
            if (line.trim().startsWith("lo:")) {
                return Long.parseLong(line.trim().split("\\s+")[9]);
            }
        }
        return 0;
    }
}
