package io.georep.bench.cluster;

import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.bench.process.Sample;
import io.georep.bench.report.TextTable;
import io.georep.model.Durability;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Throughput of a whole cluster on this machine: every node in a JVM of its own, closed-loop clients in each of them, a
 * handler that does nothing; counted are full cycles, that is, entries stored, copied, forwarded and deleted everywhere.
 */
@Command(
        name = "georep-bench/run ClusterBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Throughput of a whole cluster on this machine.")
public final class ClusterBench implements Callable<Integer>, Program.Checked {
    private static final String LIST = "\\s*,\\s*";
    private static final int THREADS_SHOWN = 8;

    @Spec
    private @Nullable CommandSpec spec;

    @Range(min = 1, max = 100_000)
    @Option(
            names = "--clients",
            split = LIST,
            hideParamSyntax = true,
            paramLabel = "N,N",
            defaultValue = "100,300",
            description = "Clients per node, one run each, on the same nodes.")
    private List<Integer> clients = List.of();

    @Option(
            names = "--durability",
            split = LIST,
            hideParamSyntax = true,
            paramLabel = "LEVEL,LEVEL",
            defaultValue = "OS,FSYNC",
            description = "Levels, one run each: ${COMPLETION-CANDIDATES}.")
    private List<Durability> levels = List.of();

    @Range(min = 0, max = 3600)
    @Option(names = "--warm-up", defaultValue = "20", description = "Seconds before the measured window.")
    private int warmUpSeconds;

    @Range(min = 1, max = 3600)
    @Option(names = "--seconds", defaultValue = "15", description = "Seconds measured.")
    private int seconds;

    @Mixin
    private LoadOptions load = new LoadOptions();

    @Option(names = "--handler", defaultValue = "DIRECT", description = "Where entries go: ${COMPLETION-CANDIDATES}.")
    private LoadNode.Handler handler = LoadNode.Handler.DIRECT;

    @Range(min = 1, max = 1_000_000)
    @Option(names = "--window", defaultValue = "10000", description = "Entries out to the handler.")
    private int window;

    @Option(names = "--jvm", defaultValue = "-Xmx512m", description = "Options of the node processes.")
    private String jvmOptions = "";

    @Option(
            names = "--jfr",
            description = "Directory for flight recordings; georep-bench/run ProfileReport reads them.")
    private @Nullable String recordings;

    private final PrintStream out;

    /** Writes to the stream what it measures. */
    public ClusterBench(PrintStream out) {
        this.out = out;
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new ClusterBench(System.out), args);
    }

    @Override
    public void check() {
        if (load.f >= load.nodes) {
            throw Program.refuse(
                    Objects.requireNonNull(spec),
                    "--f is " + load.f + " with " + load.nodes
                            + " nodes: each entry needs f + 1 nodes; lower --f or raise --nodes");
        }
        if (load.rate > 0 && load.loop == LoadOptions.Loop.CYCLE) {
            throw Program.refuse(
                    Objects.requireNonNull(spec),
                    "--rate is " + load.rate + ": with a rate no loop is closed; leave out --loop");
        }
    }

    @Override
    public Integer call() throws IOException {
        List<ClusterResult> results = new ArrayList<>();
        for (Durability durability : levels) {
            try (StartedCluster cluster = start(durability)) {
                for (int count : counts()) {
                    ClusterResult result =
                            cluster.measure(new ClusterLoad(durability, count, load), warmUpSeconds, seconds);
                    results.add(result);
                    out.println(result.json());
                    printThreads(result.window());
                }
            }
        }
        printTable(results);
        return results.stream().allMatch(ClusterResult::sound) ? 0 : 1;
    }

    /** Starts the nodes that the options describe, with the first of the levels. */
    public StartedCluster start() throws IOException {
        return start(levels.get(0));
    }

    /** Measures the load that the options describe, with the first number of clients, on nodes that were started before. */
    public ClusterResult measure(StartedCluster cluster) throws IOException {
        return cluster.measure(new ClusterLoad(levels.get(0), counts().get(0), load), warmUpSeconds, seconds);
    }

    private List<Integer> counts() {
        return load.rate > 0 ? List.of(0) : clients;
    }

    private StartedCluster start(Durability durability) throws IOException {
        List<String> jvm = new ArrayList<>(List.of(jvmOptions.split(" ", -1)));
        if (recordings != null) {
            jvm.add("-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=" + recordings + "/%n.jfr");
        }
        List<String> more = new ArrayList<>(List.of(
                "--window", Integer.toString(window), "--links", load.links.name(), "--peers", load.peers.name()));
        if (load.encrypted) {
            more.add("--encrypted");
        }
        return StartedCluster.start(load.nodes, load.roundTripMillis, (workspace, network) -> {
            LinkProtection.write(workspace.directory(), LoadNode.CLUSTER, load.nodes);
            more.addAll(List.of("--certificates", workspace.directory().toString()));
            return new LoadCluster.Settings(load.f, durability, handler, jvm, more, network);
        });
    }

    /** Which threads of all nodes used the processor most. */
    private void printThreads(Sample window) {
        out.println("  processor time by thread: " + busiestThreads(window));
        out.flush();
    }

    static String busiestThreads(Sample window) {
        return window.values().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("thread."))
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(THREADS_SHOWN)
                .map(entry -> String.format(
                        Locale.ROOT,
                        "%s %.0f%%",
                        entry.getKey().substring("thread.".length()),
                        100.0 * entry.getValue() / window.get("cpu")))
                .collect(Collectors.joining(", "));
    }

    private void printTable(List<ClusterResult> results) {
        TextTable table = new TextTable().row(ClusterResult.headings());
        results.forEach(result -> table.row(result.cells()));
        out.println();
        table.print(out);
    }
}
