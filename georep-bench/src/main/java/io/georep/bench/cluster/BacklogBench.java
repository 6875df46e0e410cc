package io.georep.bench.cluster;

import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.bench.process.Sample;
import io.georep.bench.process.Workspace;
import io.georep.model.Durability;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * A backlog larger than memory: entries pile up at a node without a handler; then it forwards half of them, is killed,
 * started again, and forwards the rest.
 */
@Command(
        name = "georep-bench/run BacklogBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "A backlog larger than memory, with a restart in the middle.")
public final class BacklogBench implements Callable<Integer> {
    /** Slower than this, on top of {@link #PHASE_MIN}, a phase counts as stuck. */
    private static final long ENTRIES_PER_SECOND_MIN = 2_000;

    private static final Duration PHASE_MIN = Duration.ofMinutes(2);

    @Range(min = 1, max = 1_000_000_000)
    @Option(names = "--entries", defaultValue = "10000000", description = "Entries that pile up.")
    private long entries;

    @Range(min = 1, max = 1 << 20)
    @Option(names = "--bytes", defaultValue = "300", description = "Size of a payload.")
    private int payloadBytes;

    @Range(min = 0, max = 8)
    @Option(names = "--f", defaultValue = "1", description = "Copies of an entry on other nodes.")
    private int f;

    @Option(names = "--durability", defaultValue = "OS", description = "${COMPLETION-CANDIDATES}.")
    private Durability durability = Durability.OS;

    @Option(names = "--handler", defaultValue = "DIRECT", description = "Where entries go: ${COMPLETION-CANDIDATES}.")
    private LoadNode.Handler handler = LoadNode.Handler.DIRECT;

    @Option(names = "--jvm", defaultValue = "-Xmx512m", description = "Options of the node processes.")
    private String jvm = "";

    BacklogBench() {}

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new BacklogBench(), args);
    }

    @Override
    public Integer call() throws IOException {
        // Long silence allowed: the restart is to be seen, not an adoption.
        LoadCluster.Settings settings = new LoadCluster.Settings(
                f,
                durability,
                LoadNode.Handler.NONE,
                List.of(jvm.split(" ", -1)),
                List.of("--suspect", "10000", "--terminate", "600000"));
        try (Workspace workspace = Workspace.create("georep-bench-");
                LoadCluster cluster = new LoadCluster(workspace, settings)) {
            cluster.start(f + 1);
            System.out.printf(
                    Locale.ROOT,
                    "{\"bench\":\"backlog\",\"entries\":%d,\"bytes\":%d,\"f\":%d,\"durability\":\"%s\",\"jvm\":\"%s\"",
                    entries,
                    payloadBytes,
                    f,
                    durability,
                    jvm);
            return run(cluster, workspace) ? 0 : 1;
        }
    }

    /** Time a phase with so many entries may take. */
    static Duration phaseWithin(long entries) {
        return PHASE_MIN.plusSeconds(entries / ENTRIES_PER_SECOND_MIN);
    }

    private static RemoteNode origin(LoadCluster cluster) {
        return cluster.nodes().get(0);
    }

    /** Returns whether no send failed and nothing was left in the end. */
    private boolean run(LoadCluster cluster, Workspace workspace) throws IOException {
        Duration phaseWithin = phaseWithin(entries);
        long started = System.nanoTime();
        String failed = origin(cluster).ask("fill " + entries + " " + payloadBytes, phaseWithin);
        report(cluster, "fill", started);
        System.out.printf(
                Locale.ROOT,
                ",\"failed\":%s,\"diskBytesPerCopy\":%.1f",
                failed,
                (double) storedBytes(cluster, workspace) / entries);
        started = System.nanoTime();
        origin(cluster).ask("handle " + handler);
        long half = entries / 2;
        LoadCluster.await(
                "half of the backlog",
                phaseWithin,
                () -> origin(cluster).sample().get("handled") >= half);
        report(cluster, "firstHalf", started);
        origin(cluster).child().kill();
        cluster.restart(0);
        long left = held(origin(cluster));
        System.out.printf(
                Locale.ROOT,
                ",\"bootMillis\":%d,\"heldAfterBoot\":%d",
                origin(cluster).bootMillis(),
                left);
        cluster.awaitComplete();
        started = System.nanoTime();
        origin(cluster).ask("handle " + handler);
        LoadCluster.await(
                "the rest of the backlog",
                phaseWithin,
                () -> origin(cluster).sample().get("handled") >= left);
        report(cluster, "secondHalf", started);
        started = System.nanoTime();
        boolean drained = cluster.drains(phaseWithin);
        report(cluster, "deletes", started);
        System.out.printf(
                Locale.ROOT,
                ",\"diskMiBAtTheEnd\":%d,\"drained\":%b}%n",
                storedBytes(cluster, workspace) >> 20,
                drained);
        return drained && failed.equals("0");
    }

    /** Bytes of the origin's data directory. */
    private static long storedBytes(LoadCluster cluster, Workspace workspace) throws IOException {
        return workspace.bytes(origin(cluster).child().name());
    }

    private static long held(RemoteNode node) throws IOException {
        Sample status = node.status();
        return status.get("held");
    }

    private static void report(LoadCluster cluster, String phase, long startedNanos) throws IOException {
        double seconds = (System.nanoTime() - startedNanos) / 1e9;
        System.out.printf(Locale.ROOT, ",\"%sSeconds\":%.1f,\"%sRssPeakMiB\":[", phase, seconds, phase);
        String separator = "";
        for (RemoteNode node : cluster.nodes()) {
            System.out.print(separator + (node.sample().get("rssPeak") >> 20));
            separator = ",";
        }
        System.out.print("]");
        System.out.flush();
    }
}
