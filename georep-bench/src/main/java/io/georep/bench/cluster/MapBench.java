package io.georep.bench.cluster;

import io.georep.GeoRepNode;
import io.georep.bench.process.ProcessMeter;
import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.bench.process.Workspace;
import io.georep.bench.report.Latencies;
import io.georep.bench.report.TextTable;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.model.Durability;
import io.georep.netty.NettyTransportFactory;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalViewMaster;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Throughput of writes to a replicated map: nodes in this JVM that are linked over TCP on the loopback interface, and writers that
 * each wait for one write to be committed before they make the next. Counted are committed writes, over the processor time of
 * the whole process, and over the turns of all nodes: how many writes share the cost of a turn.
 */
@Command(
        name = "georep-bench/run MapBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Throughput of writes to a replicated map on this machine.")
public final class MapBench implements Callable<Integer> {
    private static final String LIST = "\\s*,\\s*";
    private static final Duration START_WITHIN = Duration.ofSeconds(60);

    @Range(min = 1, max = 10_000)
    @Option(
            names = "--writers",
            split = LIST,
            hideParamSyntax = true,
            paramLabel = "N,N",
            defaultValue = "100,1000",
            description = "Writers on all nodes together, one run each.")
    private List<Integer> writers = List.of();

    @Option(
            names = "--durability",
            split = LIST,
            hideParamSyntax = true,
            paramLabel = "LEVEL,LEVEL",
            defaultValue = "MEMORY,OS",
            description = "Levels, one run each: ${COMPLETION-CANDIDATES}.")
    private List<Durability> levels = List.of();

    @Range(min = 1, max = 9)
    @Option(names = "--nodes", defaultValue = "3", description = "Nodes.")
    private int nodes;

    @Range(min = 1, max = 1_000_000)
    @Option(names = "--keys", defaultValue = "10000", description = "Keys that are written, in turn.")
    private int keys;

    @Range(min = 1, max = 1 << 20)
    @Option(names = "--bytes", defaultValue = "100", description = "Size of a value.")
    private int valueBytes;

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

    private final PrintStream out;

    MapBench(PrintStream out) {
        this.out = out;
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new MapBench(System.out), args);
    }

    /** What the writers of one run share. */
    private static final class Load {
        final AtomicLong committed = new AtomicLong();
        final AtomicLong failed = new AtomicLong();
        final AtomicLong nextKey = new AtomicLong();
        final Histogram latencies = new ConcurrentHistogram(3);
        final byte[] value;
        final int keys;
        volatile boolean stop;

        Load(byte[] value, int keys) {
            this.value = value;
            this.keys = keys;
        }

        void write(ReplicatedMap<String, byte[]> map) {
            long began = System.nanoTime();
            String key = "key " + nextKey.getAndIncrement() % keys;
            map.put(key, value).whenComplete((done, error) -> {
                latencies.recordValue(System.nanoTime() - began);
                (error == null ? committed : failed).incrementAndGet();
                if (!stop) {
                    write(map);
                }
            });
        }
    }

    @Override
    public Integer call() throws Exception {
        TextTable table = new TextTable()
                .row("durability", "writers", "writes/s", "writes/CPU-s", "p50 ms", "p99 ms", "writes/turn", "failed");
        boolean sound = true;
        for (Durability level : levels) {
            for (int count : writers) {
                sound &= run(level, count, table);
            }
        }
        table.print(out);
        return sound ? 0 : 1;
    }

    private boolean run(Durability level, int count, TextTable table) throws Exception {
        FunnelSettings settings = FunnelSettings.defaults();
        String[] names =
                IntStream.rangeClosed(1, nodes).mapToObj(number -> "n" + number).toArray(String[]::new);
        LocalViewMaster master = LocalViewMaster.of(settings, names);
        List<GeoRepNode> started = new ArrayList<>();
        try (Workspace workspace = Workspace.create("georep-bench-")) {
            try {
                for (String name : names) {
                    started.add(GeoRepNode.builder()
                            .nodeId(name)
                            .listen("127.0.0.1", 0)
                            .seeds(started.stream()
                                    .map(node -> node.identity().address())
                                    .toList())
                            .transport(new NettyTransportFactory(links -> {}))
                            .durability(level)
                            .dataDir(workspace.directory().resolve(name))
                            .replicatedMaps(settings, master)
                            .start());
                }
                return measure(level, count, started, table);
            } finally {
                started.forEach(GeoRepNode::halt);
            }
        }
    }

    private boolean measure(Durability level, int count, List<GeoRepNode> started, TextTable table) throws Exception {
        Load load = new Load(new byte[valueBytes], keys);
        List<ReplicatedMap<String, byte[]>> maps = new ArrayList<>();
        for (GeoRepNode node : started) {
            ReplicatedMaps service = node.service(ReplicatedMaps.class);
            CompletableFuture<Void> serving = new CompletableFuture<>();
            service.onStatus(status -> completeIfServing(serving, status));
            completeIfServing(serving, service.status());
            serving.get(START_WITHIN.toSeconds(), TimeUnit.SECONDS);
            maps.add(service.map("bench", PayloadCodec.string(), PayloadCodec.bytes()));
        }
        for (int i = 0; i < count; i++) {
            load.write(maps.get(i % maps.size()));
        }
        LoadCluster.pause(warmUpSeconds * 1000L);
        load.latencies.reset();
        long writes = load.committed.get();
        long failures = load.failed.get();
        long turns = turns(started);
        long cpu = ProcessMeter.cpuNanos();
        long began = System.nanoTime();
        LoadCluster.pause(seconds * 1000L);
        writes = load.committed.get() - writes;
        failures = load.failed.get() - failures;
        turns = turns(started) - turns;
        cpu = ProcessMeter.cpuNanos() - cpu;
        double took = (System.nanoTime() - began) / 1e9;
        load.stop = true;
        table.row(
                level.name(),
                Integer.toString(count),
                String.format(Locale.ROOT, "%.0f", writes / took),
                String.format(Locale.ROOT, "%.0f", writes / (cpu / 1e9)),
                String.format(Locale.ROOT, "%.2f", Latencies.millis(load.latencies, 50)),
                String.format(Locale.ROOT, "%.2f", Latencies.millis(load.latencies, 99)),
                String.format(Locale.ROOT, "%.2f", writes / (double) turns),
                Long.toString(failures));
        return writes > 0 && failures == 0;
    }

    private static long turns(List<GeoRepNode> nodes) {
        return nodes.stream().mapToLong(node -> node.statistics().turns()).sum();
    }

    private static void completeIfServing(CompletableFuture<Void> serving, MapsStatus status) {
        if (status.role() == MapsStatus.Role.SERVING) {
            serving.complete(null);
        }
    }
}
