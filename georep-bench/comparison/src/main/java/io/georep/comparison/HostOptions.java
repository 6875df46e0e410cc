package io.georep.comparison;

import io.georep.bench.process.Range;
import io.georep.model.Durability;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options about hosts and processes. */
final class HostOptions {
    @Option(
            names = "--hosts",
            split = ",",
            defaultValue = "a=127.0.0.11,b=127.0.0.12,c=127.0.0.13",
            description = "Names and addresses, the one with the shortest ways to the others last.")
    private Map<String, String> hosts = new LinkedHashMap<>();

    @Option(
            names = "--enter",
            defaultValue = "",
            description =
                    "Command that starts another one on a host, e.g. \"ip netns exec {host}\". Empty: on this one.")
    private String enter = "";

    @Option(
            names = "--jvm",
            split = ",",
            defaultValue = "-Xmx512m,-XX:+UseSerialGC",
            description = "Options of the JVMs of the nodes.")
    private List<String> jvmOptions = List.of();

    @Option(
            names = "--durability",
            defaultValue = "FSYNC",
            description = "Of GeoRep: ${COMPLETION-CANDIDATES}. Ratis always syncs, the others keep maps in memory.")
    private Durability durability = Durability.FSYNC;

    @Range(min = 100, max = 60_000)
    @Option(
            names = "--lease-millis",
            defaultValue = "2000",
            description = "Leases of GeoRep, and how long Ratis waits for a leader. At least eight round trips.")
    private long leaseMillis;

    @Range(min = 1, max = 600)
    @Option(names = "--start-within", defaultValue = "90", description = "Seconds a product has to start.")
    private int startSeconds;

    Nodes.Setting setting() {
        return new Nodes.Setting(
                hosts, enter, jvmOptions, durability, Duration.ofMillis(leaseMillis), Duration.ofSeconds(startSeconds));
    }

    List<String> names() {
        return List.copyOf(hosts.keySet());
    }
}
