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

    /** What closes a client's loop. */
    enum Loop {
        /** The acknowledgement of its send. */
        SEND,
        /** The deletion of its entry everywhere, as with the clients of the paper. */
        CYCLE;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

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

    @Range(min = 1, max = 9)
    @Option(names = "--nodes", defaultValue = "3", description = "Node processes.")
    private int nodes;

    @Range(min = 0, max = 8)
    @Option(names = "--f", defaultValue = "1", description = "Copies of an entry on other nodes.")
    private int f;

    @Range(min = 1, max = 1 << 20)
    @Option(names = "--bytes", defaultValue = "300", description = "Size of a payload.")
    private int payloadBytes;

    @Option(
            names = "--loop",
            defaultValue = "SEND",
            description = "What closes a client's loop: ${COMPLETION-CANDIDATES}.")
    private Loop loop = Loop.SEND;

    @Option(names = "--handler", defaultValue = "DIRECT", description = "Where entries go: ${COMPLETION-CANDIDATES}.")
    private LoadNode.Handler handler = LoadNode.Handler.DIRECT;

    @Range(min = 1, max = 1_000_000)
    @Option(names = "--window", defaultValue = "10000", description = "Entries out to the handler.")
    private int window;

    @Option(
            names = "--links",
            defaultValue = "PLAIN",
            description = "How links are protected: ${COMPLETION-CANDIDATES}.")
    private LinkProtection links = LinkProtection.PLAIN;

    @Range(min = 0, max = 1_000_000)
    @Option(
            names = "--rate",
            defaultValue = "0",
            description = "Entries per second and node in place of clients, sent whether or not the others are"
                    + " acknowledged; 0 for clients.")
    private int rate;

    @Option(names = "--peers", defaultValue = "SITES", description = "Who gets copies: ${COMPLETION-CANDIDATES}.")
    private LoadNode.Peers peers = LoadNode.Peers.SITES;

    @Range(min = 0, max = 10_000)
    @Option(
            names = "--round-trip",
            defaultValue = "0",
            description = "Milliseconds from each node to the next and back, as if they stood in a row; 0 for what"
                    + " loopback takes.")
    private int roundTripMillis;

    @Option(names = "--encrypted", description = "Encrypt what nodes have on disk.")
    private boolean encrypted;

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
        if (f >= nodes) {
            throw Program.refuse(
                    Objects.requireNonNull(spec),
                    "--f is " + f + " with " + nodes
                            + " nodes: each entry needs f + 1 nodes; lower --f or raise --nodes");
        }
        if (rate > 0 && loop == Loop.CYCLE) {
            throw Program.refuse(
                    Objects.requireNonNull(spec),
                    "--rate is " + rate + ": with a rate no loop is closed; leave out --loop");
        }
    }

    @Override
    public Integer call() throws IOException {
        List<ClusterResult> results = new ArrayList<>();
        for (Durability durability : levels) {
            try (StartedCluster cluster = start(durability)) {
                for (int count : rate > 0 ? List.of(0) : clients) {
                    ClusterResult result = cluster.measure(load(durability, count), warmUpSeconds, seconds);
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
        return cluster.measure(load(levels.get(0), clients.get(0)), warmUpSeconds, seconds);
    }

    private ClusterLoad load(Durability durability, int count) {
        return new ClusterLoad(
                durability,
                rate > 0 ? 0 : count,
                rate,
                loop.word(),
                nodes,
                f,
                payloadBytes,
                links,
                encrypted,
                peers,
                roundTripMillis);
    }

    private StartedCluster start(Durability durability) throws IOException {
        List<String> jvm = new ArrayList<>(List.of(jvmOptions.split(" ", -1)));
        if (recordings != null) {
            jvm.add("-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=" + recordings + "/%n.jfr");
        }
        List<String> more = new ArrayList<>(
                List.of("--window", Integer.toString(window), "--links", links.name(), "--peers", peers.name()));
        if (encrypted) {
            more.add("--encrypted");
        }
        return StartedCluster.start(nodes, roundTripMillis, (workspace, network) -> {
            LinkProtection.write(workspace.directory(), LoadNode.CLUSTER, nodes);
            more.addAll(List.of("--certificates", workspace.directory().toString()));
            return new LoadCluster.Settings(f, durability, handler, jvm, more, network);
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
