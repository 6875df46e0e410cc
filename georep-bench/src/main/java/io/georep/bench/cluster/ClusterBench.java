package io.georep.bench.cluster;

import io.georep.bench.process.Arguments;
import io.georep.bench.process.Sample;
import io.georep.bench.process.Workspace;
import io.georep.bench.report.LatencyHistogram;
import io.georep.bench.report.TextTable;
import io.georep.model.Durability;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Throughput of a whole cluster on this machine: every node in a JVM of its own, closed-loop clients in each of them, a
 * handler that does nothing; counted are full cycles, that is, entries stored, copied, forwarded and deleted everywhere.
 */
public final class ClusterBench {
    private static final Duration DRAIN_WITHIN = Duration.ofSeconds(20);
    private static final int THREADS_SHOWN = 8;

    private final int nodes;
    private final int f;
    private final int payloadBytes;
    private final int warmUpSeconds;
    private final int seconds;
    private final LoadNode.Handler handler;
    private final String loop;
    private final List<String> jvmOptions;
    private final List<String> more;
    private final PrintStream out;

    ClusterBench(Arguments arguments, PrintStream out) {
        this.out = out;
        nodes = arguments.count("nodes", 3, 1, 9);
        f = arguments.count("f", 1, 0, 8);
        payloadBytes = arguments.count("bytes", 300, 1, 1 << 20);
        warmUpSeconds = arguments.count("warm-up", 20, 0, 3600);
        seconds = arguments.count("seconds", 15, 1, 3600);
        handler = arguments.choice("handler", LoadNode.Handler.class, LoadNode.Handler.DIRECT);
        loop = arguments.text("loop", "send");
        jvmOptions = new ArrayList<>(List.of(arguments.text("jvm", "-Xmx512m").split(" ", -1)));
        more = List.of("--window", Integer.toString(arguments.count("window", 10_000, 1, 1_000_000)));
        String recordings = arguments.text("jfr", "");
        if (!recordings.isEmpty()) {
            jvmOptions.add(
                    "-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=" + recordings + "/%n.jfr");
        }
        if (f >= nodes) {
            throw new IllegalArgumentException("--f is " + f + " with " + nodes
                    + " nodes: each entry needs f + 1 nodes; lower --f or raise --nodes");
        }
        if (!loop.equals("send") && !loop.equals("cycle")) {
            throw new IllegalArgumentException("--loop is '" + loop + "', allowed are send and cycle");
        }
    }

    /**
     * Options, all with defaults: {@code --clients 100,300} (per node) {@code --durability OS,FSYNC --seconds 15
     * --warm-up 20 --nodes 3 --f 1 --bytes 300 --loop send|cycle --handler direct|thread|batch --window 10000
     * --jvm "-Xmx512m" --jfr directory}.
     */
    public static void main(String[] args) throws IOException {
        Arguments arguments = Arguments.parse(args);
        ClusterBench bench = new ClusterBench(arguments, System.out);
        List<Integer> clients = arguments.counts("clients", "100,300", 1, 100_000);
        List<Durability> levels = arguments.choices("durability", Durability.class, "OS,FSYNC");
        arguments.finish();
        List<ClusterResult> results = new ArrayList<>();
        for (Durability durability : levels) {
            for (int count : clients) {
                results.add(bench.run(durability, count));
            }
        }
        bench.printTable(results);
        System.exit(results.stream().allMatch(ClusterResult::sound) ? 0 : 1);
    }

    private ClusterResult run(Durability durability, int clients) throws IOException {
        LoadCluster.Settings settings = new LoadCluster.Settings(f, durability, handler, jvmOptions, more);
        try (Workspace workspace = Workspace.create("georep-bench-");
                LoadCluster cluster = new LoadCluster(workspace, settings)) {
            cluster.start(nodes);
            cluster.tell("load " + clients + " " + payloadBytes + " " + loop);
            LoadCluster.pause(warmUpSeconds * 1000L);
            cluster.tell("mark");
            Sample before = cluster.sample();
            LoadCluster.pause(seconds * 1000L);
            Sample after = cluster.sample();
            Sample window = after.since(before);
            LatencyHistogram sends = histogram(cluster, "sends");
            LatencyHistogram cycles = histogram(cluster, "cycles");
            cluster.tell("stop");
            boolean drained = cluster.drains(DRAIN_WITHIN);
            ClusterResult result = new ClusterResult(
                    durability,
                    clients,
                    loop,
                    nodes,
                    f,
                    payloadBytes,
                    window,
                    sends,
                    cycles,
                    after.get("rssPeak"),
                    drained);
            out.println(result.json());
            printThreads(window);
            return result;
        }
    }

    private static LatencyHistogram histogram(LoadCluster cluster, String name) throws IOException {
        LatencyHistogram sum = new LatencyHistogram();
        for (RemoteNode node : cluster.nodes()) {
            sum.add(LatencyHistogram.parse(node.ask(name)));
        }
        return sum;
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
        table.lines().forEach(out::println);
    }
}
