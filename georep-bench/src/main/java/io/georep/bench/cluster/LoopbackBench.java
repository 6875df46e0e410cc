package io.georep.bench.cluster;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.bench.process.ProcessMeter;
import io.georep.bench.process.Range;
import io.georep.bench.process.Workspace;
import io.georep.bench.report.Latencies;
import io.georep.bench.report.TextTable;
import io.georep.model.Durability;
import io.georep.netty.NettyTransportFactory;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Option;

/**
 * Throughput of nodes in this JVM that are linked over TCP on the loopback interface. Each client waits for one operation before it
 * makes the next. Counted is what has completed, over the processor time of the whole process, and over the turns of all nodes: how
 * much shares the cost of a turn.
 */
abstract class LoopbackBench implements Callable<Integer> {
    static final String LIST = "\\s*,\\s*";
    static final Duration START_WITHIN = Duration.ofSeconds(60);

    @Range(min = 1, max = 9)
    @Option(names = "--nodes", defaultValue = "3", description = "Nodes.")
    private int nodes;

    @Range(min = 1, max = 100_000_000)
    @Option(names = "--keys", defaultValue = "10000", description = "Keys that are used, in turn.")
    int keys;

    @Range(min = 1, max = 1 << 20)
    @Option(names = "--bytes", defaultValue = "100", description = "Size of a value.")
    int valueBytes;

    @Range(min = 0, max = 3600)
    @Option(
            names = "--warm-up",
            defaultValue = "60",
            description =
                    "Seconds before the measured window. For about so long the JVM's compilers take a third of the"
                            + " processor time on two cores.")
    private int warmUpSeconds;

    @Range(min = 1, max = 3600)
    @Option(names = "--seconds", defaultValue = "10", description = "Seconds measured.")
    private int seconds;

    final PrintStream out;
    private final TextTable table = new TextTable();

    LoopbackBench(PrintStream out) {
        this.out = out;
    }

    /** What is done with running nodes; returns whether its figures mean something. */
    interface Measurement {
        boolean on(List<GeoRepNode> started, Restart restart) throws Exception;
    }

    /** Halts a node and starts it again. */
    interface Restart {
        GeoRepNode node(int place);
    }

    /** An operation of a client on the key of a number. */
    interface Work {
        CompletionStage<?> next(String key);
    }

    /** What the clients of one run share. */
    private static final class Load {
        private static final int BATCH = 1000;

        final AtomicLong completed = new AtomicLong();
        final AtomicLong failed = new AtomicLong();
        final AtomicLong nextKey = new AtomicLong();
        final Histogram latencies = new ConcurrentHistogram(3);
        final int keys;
        volatile boolean stop;

        Load(int keys) {
            this.keys = keys;
        }

        void loop(String[] names, int first, Consumer<String> work) {
            int next = first;
            try {
                while (!stop) {
                    long began = System.nanoTime();
                    work.accept(names[next]);
                    latencies.recordValue(System.nanoTime() - began);
                    for (int more = 1; more < BATCH; more++) {
                        next = next + 1 == names.length ? 0 : next + 1;
                        work.accept(names[next]);
                    }
                    completed.addAndGet(BATCH);
                }
            } catch (RuntimeException e) {
                failed.incrementAndGet();
            }
        }

        void next(Work work) {
            long began = System.nanoTime();
            work.next(key(nextKey.getAndIncrement() % keys)).whenComplete((done, error) -> {
                latencies.recordValue(System.nanoTime() - began);
                (error == null ? completed : failed).incrementAndGet();
                if (!stop) {
                    next(work);
                }
            });
        }
    }

    static String key(long number) {
        return "key " + number;
    }

    String[] names() {
        return IntStream.rangeClosed(1, nodes).mapToObj(number -> "n" + number).toArray(String[]::new);
    }

    private static GeoRepNode start(
            String name,
            int port,
            Durability level,
            Workspace workspace,
            List<GeoRepNode> others,
            UnaryOperator<NodeBuilder> part) {
        return part.apply(GeoRepNode.builder()
                        .nodeId(name)
                        .listen("127.0.0.1", port)
                        .seeds(others.stream()
                                .map(node -> node.identity().address())
                                .toList())
                        .transport(new NettyTransportFactory(links -> {}))
                        .durability(level)
                        .dataDir(workspace.directory().resolve(name)))
                .start();
    }

    boolean onNodes(Durability level, UnaryOperator<NodeBuilder> part, Measurement measurement) throws Exception {
        List<GeoRepNode> started = new ArrayList<>();
        try (Workspace workspace = Workspace.create("georep-bench-")) {
            try {
                for (String name : names()) {
                    started.add(start(name, 0, level, workspace, started, part));
                }
                return measurement.on(started, place -> {
                    GeoRepNode halted = started.remove(place);
                    halted.halt();
                    String address = halted.identity().address();
                    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
                    String name = halted.identity().id().toString();
                    started.add(start(name, port, level, workspace, started, part));
                    return started.get(started.size() - 1);
                });
            } finally {
                started.forEach(GeoRepNode::halt);
            }
        }
    }

    void header(String what, String clients, String plural) {
        table.row(what, clients, plural + "/s", plural + "/CPU-s", "p50 ms", "p99 ms", plural + "/turn", "failed");
    }

    void printTable() {
        table.print(out);
    }

    /** The clients share what they can do among them in turn. Adds a row. */
    boolean measure(String what, int clients, List<GeoRepNode> started, List<? extends Work> works) throws Exception {
        Load load = new Load(keys);
        for (int i = 0; i < clients; i++) {
            load.next(works.get(i % works.size()));
        }
        return report(what, clients, started, load);
    }

    private boolean report(String what, int clients, List<GeoRepNode> started, Load load) throws Exception {
        LoadCluster.pause(warmUpSeconds * 1000L);
        load.latencies.reset();
        long completed = load.completed.get();
        long failures = load.failed.get();
        long turns = turns(started);
        long cpu = ProcessMeter.cpuNanos();
        long began = System.nanoTime();
        LoadCluster.pause(seconds * 1000L);
        completed = load.completed.get() - completed;
        failures = load.failed.get() - failures;
        turns = turns(started) - turns;
        cpu = ProcessMeter.cpuNanos() - cpu;
        double took = (System.nanoTime() - began) / 1e9;
        load.stop = true;
        table.row(
                what,
                Integer.toString(clients),
                String.format(Locale.ROOT, "%.0f", completed / took),
                String.format(Locale.ROOT, "%.0f", completed / (cpu / 1e9)),
                String.format(Locale.ROOT, "%.2f", Latencies.millis(load.latencies, 50)),
                String.format(Locale.ROOT, "%.2f", Latencies.millis(load.latencies, 99)),
                String.format(Locale.ROOT, "%.2f", completed / (double) turns),
                Long.toString(failures));
        return completed > 0 && failures == 0;
    }

    /** So many threads wait for one operation after the other. Of a thousand one is timed. Adds a row. */
    boolean measureThreads(String what, int threads, List<GeoRepNode> started, Consumer<String> work) throws Exception {
        Load load = new Load(keys);
        String[] names = IntStream.range(0, keys).mapToObj(LoopbackBench::key).toArray(String[]::new);
        for (int thread = 0; thread < threads; thread++) {
            int first = thread * (keys / threads);
            Thread reader = new Thread(() -> load.loop(names, first, work), "reader " + thread);
            reader.setDaemon(true);
            reader.start();
        }
        return report(what, threads, started, load);
    }

    private static long turns(List<GeoRepNode> nodes) {
        return nodes.stream().mapToLong(node -> node.statistics().turns()).sum();
    }
}
