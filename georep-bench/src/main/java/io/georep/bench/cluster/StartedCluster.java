package io.georep.bench.cluster;

import io.georep.bench.network.SlowNetwork;
import io.georep.bench.process.MachineMeter;
import io.georep.bench.process.Sample;
import io.georep.bench.process.Workspace;
import io.georep.bench.report.Latencies;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Nodes of {@link ClusterBench} that see each other. Several loads can follow each other; the later ones find them warm. */
public final class StartedCluster implements AutoCloseable {
    private static final Duration DRAIN_WITHIN = Duration.ofSeconds(20);

    /** What the nodes have in common, which may need files of its own. */
    interface Plan {
        LoadCluster.Settings settings(Workspace workspace, @Nullable SlowNetwork network) throws IOException;
    }

    private final Workspace workspace;
    private final @Nullable SlowNetwork network;
    private final LoadCluster cluster;

    private StartedCluster(Workspace workspace, @Nullable SlowNetwork network, LoadCluster cluster) {
        this.workspace = workspace;
        this.network = network;
        this.cluster = cluster;
    }

    /**
     * Starts so many nodes.
     *
     * @param roundTripMillis from each node to the next and back, as if they stood in a row; 0 for what loopback takes
     */
    static StartedCluster start(int nodes, int roundTripMillis, Plan plan) throws IOException {
        Workspace workspace = Workspace.create("georep-bench-");
        SlowNetwork network = null;
        StartedCluster started;
        try {
            network = roundTripMillis == 0 ? null : row(nodes, roundTripMillis);
            LoadCluster cluster = new LoadCluster(workspace, plan.settings(workspace, network));
            started = new StartedCluster(workspace, network, cluster);
        } catch (IOException | RuntimeException e) {
            close(network, workspace);
            throw e;
        }
        try {
            started.cluster.start(nodes);
            return started;
        } catch (IOException | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private static SlowNetwork row(int nodes, int roundTripMillis) throws IOException {
        int[][] roundTrips = new int[nodes][nodes];
        for (int i = 0; i < nodes; i++) {
            for (int j = 0; j < nodes; j++) {
                roundTrips[i][j] = Math.abs(i - j) * roundTripMillis;
            }
        }
        return new SlowNetwork(
                IntStream.range(0, nodes).mapToObj(LoadCluster::name).toList(), roundTrips);
    }

    /** Puts the load on all nodes, measures after the warm-up, and waits until nothing is left of it. */
    ClusterResult measure(ClusterLoad load, int warmUpSeconds, int seconds) throws IOException {
        cluster.tell(load.command());
        LoadCluster.pause(warmUpSeconds * 1000L);
        cluster.tell("mark");
        Sample before = cluster.sample();
        long machineBefore = MachineMeter.busyNanos();
        LoadCluster.pause(seconds * 1000L);
        Sample after = cluster.sample();
        long machine = MachineMeter.busyNanos() - machineBefore;
        cluster.tell("stop");
        boolean drained = cluster.drains(DRAIN_WITHIN);
        // Not before all is acknowledged that was due: a node that stalls at the end would hide it.
        Histogram sends = histogram("sends");
        Histogram cycles = histogram("cycles");
        return new ClusterResult(load, after.since(before), machine, sends, cycles, after.get("rssPeak"), drained);
    }

    private Histogram histogram(String name) throws IOException {
        Histogram sum = Latencies.histogram();
        for (RemoteNode node : cluster.nodes()) {
            sum.add(Latencies.parse(node.ask(name)));
        }
        return sum;
    }

    @Override
    public void close() throws IOException {
        try {
            cluster.close();
        } finally {
            close(network, workspace);
        }
    }

    private static void close(@Nullable SlowNetwork network, Workspace workspace) throws IOException {
        try (workspace) {
            if (network != null) {
                network.close();
            }
        }
    }
}
