package io.georep.bench.cluster;

import io.georep.GeoRepNode;
import io.georep.bench.network.SlowNetwork;
import io.georep.bench.process.ProcessMeter;
import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.bench.process.Workspace;
import io.georep.bench.report.Latencies;
import io.georep.bench.report.TextTable;
import io.georep.geopaxos.OrderedMap;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.OrderedMaps;
import io.georep.model.Durability;
import io.georep.netty.NettyTransportFactory;
import io.georep.spi.PayloadCodec;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Latency and throughput of an ordered map on sites that are far from each other. The nodes and the network between them live in
 * this JVM; each client asks the node of its site, and waits for one operation before it makes the next.
 */
@Command(
        name = "georep-bench/run OrderedMapWanBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Latency and throughput of an ordered map over long distances.")
public final class OrderedMapWanBench implements Callable<Integer> {
    /** Who orders the operations. */
    enum Order {
        /** One group, led by the first site: Multi-Paxos. */
        ONE_GROUP,
        /** A group at each site, but all keys are where they begin, in the first one. */
        UNPLACED,
        /** A group at each site, and keys go where they are used. */
        PLACED
    }

    @Option(names = "--sites", defaultValue = "THREE", description = "${COMPLETION-CANDIDATES}.")
    private Sites sites = Sites.THREE;

    @Option(
            names = "--order",
            split = LoopbackBench.LIST,
            hideParamSyntax = true,
            paramLabel = "KIND,KIND",
            defaultValue = "ONE_GROUP,UNPLACED,PLACED",
            description = "Who orders, one run each: ${COMPLETION-CANDIDATES}.")
    private List<Order> orders = List.of();

    @Option(
            names = "--workload",
            split = LoopbackBench.LIST,
            hideParamSyntax = true,
            paramLabel = "KIND,KIND",
            defaultValue = "LOCALITY,UNIFORM,SKEWED",
            description = "Which keys are used, one run each: ${COMPLETION-CANDIDATES}.")
    private List<WanLoad.Workload> workloads = List.of();

    @Range(min = 1, max = 50_000)
    @Option(
            names = "--clients",
            split = LoopbackBench.LIST,
            hideParamSyntax = true,
            paramLabel = "N,N",
            defaultValue = "54,5400",
            description = "Clients at all sites together, one run each.")
    private List<Integer> clients = List.of();

    @Range(min = 0, max = 100)
    @Option(names = "--reads", defaultValue = "50", description = "Reads of a hundred operations.")
    private int reads;

    @Range(min = 1, max = 1_000_000)
    @Option(names = "--keys", defaultValue = "3000", description = "Keys.")
    private int keys;

    @Range(min = 1, max = 1 << 16)
    @Option(names = "--bytes", defaultValue = "100", description = "Size of a value.")
    private int valueBytes;

    @Option(names = "--durability", defaultValue = "OS", description = "OS or FSYNC.")
    private Durability durability = Durability.OS;

    @Range(min = 0, max = 3600)
    @Option(names = "--warm-up", defaultValue = "40", description = "Seconds before; within, keys find their places.")
    private int warmUpSeconds;

    @Range(min = 1, max = 3600)
    @Option(names = "--seconds", defaultValue = "10", description = "Seconds measured.")
    private int seconds;

    private final PrintStream out;
    private final TextTable table = new TextTable();

    OrderedMapWanBench(PrintStream out) {
        this.out = out;
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new OrderedMapWanBench(System.out), args);
    }

    @Override
    public Integer call() throws Exception {
        table.row(
                "workload, order",
                "clients",
                "operations/s",
                "at most",
                "cores",
                "operations/CPU-s",
                "p50 ms",
                "p95 ms",
                "writes p50 ms by site",
                "reads p50 ms by site",
                "failed");
        boolean sound = true;
        for (WanLoad.Workload workload : workloads) {
            for (Order order : orders) {
                for (int count : clients) {
                    sound &= run(workload, order, count);
                }
            }
        }
        table.print(out);
        return sound ? 0 : 1;
    }

    private boolean run(WanLoad.Workload workload, Order order, int count) throws Exception {
        List<GeoRepNode> started = new ArrayList<>();
        try (Workspace workspace = Workspace.create("georep-bench-");
                SlowNetwork network = new SlowNetwork(sites.names(), sites.roundTripMillis())) {
            try {
                List<OrderedMap<String, byte[]>> maps = new ArrayList<>();
                for (int site = 0; site < sites.count(); site++) {
                    started.add(start(site, network, workspace, settings(order)));
                    maps.add(started.get(site)
                            .service(OrderedMaps.class)
                            .map("bench", PayloadCodec.string(), PayloadCodec.bytes()));
                }
                WanLoad load = new WanLoad(workload, maps, keys, valueBytes, reads);
                load.fill();
                return measure(workload + ", " + order, load, count, most(workload, order, count));
            } finally {
                started.forEach(GeoRepNode::halt);
            }
        }
    }

    private OrderedMapSettings settings(Order order) {
        OrderedMapSettings settings = OrderedMapSettings.of(sites.nearestTo(0));
        for (int site = 1; site < sites.count() && order != Order.ONE_GROUP; site++) {
            settings = settings.group(sites.nearestTo(site));
        }
        return settings.times(Duration.ofSeconds(2), LoopbackBench.START_WITHIN)
                .waitingMax(50_000)
                .placement(order == Order.PLACED ? Duration.ofSeconds(2) : Duration.ZERO);
    }

    private GeoRepNode start(int site, SlowNetwork network, Workspace workspace, OrderedMapSettings settings) {
        String name = sites.names().get(site);
        List<String> others = new ArrayList<>();
        for (int other = 0; other < site; other++) {
            others.add(network.address(other));
        }
        return GeoRepNode.builder()
                .nodeId(name)
                .site(name)
                .listen("127.0.0.1", network.port(site))
                .advertise(network.address(site))
                .seeds(others)
                .transport(new NettyTransportFactory(links -> {}))
                .durability(durability)
                .dataDir(workspace.directory().resolve(name))
                .orderedMaps(settings)
                .start();
    }

    /**
     * Operations per second of clients that wait for each one, if it takes only what the distances cost. Where sites share keys that
     * find their places nobody knows these.
     */
    private String most(WanLoad.Workload workload, Order order, int count) {
        boolean isHome = order == Order.PLACED;
        if (isHome && workload != WanLoad.Workload.LOCALITY) {
            return "-";
        }
        double most = 0;
        for (int site = 0; site < sites.count(); site++) {
            int leader = isHome ? site : 0;
            double millis =
                    (reads * sites.millis(site, leader, true) + (100 - reads) * sites.millis(site, leader, false))
                            / 100.0;
            most += (double) count / sites.count() * 1000 / millis;
        }
        return String.format(Locale.ROOT, "%.0f", most);
    }

    private boolean measure(String what, WanLoad load, int count, String most) throws Exception {
        load.begin(count);
        LoadCluster.pause(warmUpSeconds * 1000L);
        load.reset();
        long cpu = ProcessMeter.cpuNanos();
        long began = System.nanoTime();
        LoadCluster.pause(seconds * 1000L);
        WanLoad.Figures figures = load.figures();
        double took = (System.nanoTime() - began) / 1e9;
        cpu = ProcessMeter.cpuNanos() - cpu;
        load.end();
        table.row(
                what,
                Integer.toString(count),
                String.format(Locale.ROOT, "%.0f", figures.all().getTotalCount() / took),
                most,
                String.format(Locale.ROOT, "%.2f", cpu / 1e9 / took),
                String.format(Locale.ROOT, "%.0f", figures.all().getTotalCount() / (cpu / 1e9)),
                String.format(Locale.ROOT, "%.1f", Latencies.millis(figures.all(), 50)),
                String.format(Locale.ROOT, "%.1f", Latencies.millis(figures.all(), 95)),
                bySite(figures.writes()),
                bySite(figures.reads()),
                Long.toString(figures.failed()));
        return figures.all().getTotalCount() > 0 && figures.failed() == 0;
    }

    private static String bySite(List<Double> millis) {
        return millis.stream()
                .map(each -> String.format(Locale.ROOT, "%.1f", each))
                .collect(Collectors.joining(" "));
    }
}
