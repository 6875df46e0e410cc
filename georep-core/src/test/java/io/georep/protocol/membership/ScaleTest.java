package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.MembershipCluster.Disk;
import io.georep.protocol.membership.MembershipCluster.Process;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What membership costs in clusters of three to a hundred nodes, and of a thousand on demand: joining, one change, a rolling
 * restart, a partition that heals. Bytes are those of frames, without what the link layer adds.
 */
class ScaleTest {
    private static final Duration SETTLE = Duration.ofSeconds(20);

    /** What happened between two moments, per node and in all. */
    private record Cost(String what, int nodes, double seconds, long bytes, long listBytes, long turns) {
        long bytesPerNode() {
            return bytes / nodes;
        }

        long listBytesPerNode() {
            return listBytes / nodes;
        }

        long turnsPerNode() {
            return turns / nodes;
        }

        @Override
        public String toString() {
            return String.format(
                    "n = %4d %-16s %6.0f s, per node: %,11d bytes, %,10d of lists, %,8d turns",
                    nodes, what, seconds, bytesPerNode(), listBytesPerNode(), turnsPerNode());
        }
    }

    /** A thousand nodes send a million frames a second with the default heartbeat: they get a slower one. */
    private static ProtocolConfig config(int size) {
        return size <= 200
                ? ProtocolConfig.defaults()
                : ProtocolConfig.builder()
                        .heartbeat(Duration.ofSeconds(8))
                        .heartbeatAway(Duration.ofSeconds(8))
                        .suspectAfter(Duration.ofSeconds(24))
                        .terminateAfter(Duration.ofSeconds(8))
                        .build();
    }

    /** A cluster and what it has cost since the last look. */
    private static final class Meter {
        final List<Process> nodes = new ArrayList<>();
        private long sinceNanos;

        final MembershipCluster cluster;

        Meter(int size) {
            cluster = new MembershipCluster(7, config(size));
            cluster.tracing = false;
            cluster.eventsMax = 400L * size * size * 60;
            cluster.redialLinkedNanos = Duration.ofSeconds(size > 200 ? 30 : 1).toNanos();
            Random random = new Random(size);
            reset();
            for (int i = 0; i < size; i++) {
                nodes.add(cluster.start("node-" + i, "10.0.0." + i + ":7400", new Disk(), "10.0.0.0:7400"));
                cluster.run(Duration.ofMillis(random.nextInt(2000 / size + 1)));
            }
        }

        void reset() {
            cluster.frameBytes = 0;
            cluster.listBytes = 0;
            cluster.turns = 0;
            sinceNanos = cluster.nowNanos;
        }

        Cost cost(String what) {
            Cost cost = new Cost(
                    what,
                    nodes.size(),
                    (cluster.nowNanos - sinceNanos) / 1e9,
                    cluster.frameBytes,
                    cluster.listBytes,
                    cluster.turns);
            System.out.println(cost);
            reset();
            return cost;
        }

        void assertAllKnowAll() {
            for (Process node : nodes) {
                assertThat(node.membership.all()).hasSize(nodes.size() - 1);
                for (Peer peer : node.membership.all()) {
                    assertThat(peer.state()).as("%s at %s", peer, node.id).isEqualTo(PeerState.ACTIVE);
                }
            }
            assertThat(nodes.stream().map(node -> node.membership.digest()).distinct())
                    .as("lists")
                    .hasSize(1);
        }

        void restart(int index) {
            Process old = nodes.get(index);
            old.crash();
            cluster.run(Duration.ofSeconds(1));
            nodes.set(index, cluster.start(old.id.value(), old.address, old.disk, "10.0.0.0:7400"));
        }
    }

    private static List<Cost> live(int size, int restarts) {
        List<Cost> costs = new ArrayList<>();
        Meter meter = new Meter(size);
        meter.cluster.run(SETTLE);
        meter.assertAllKnowAll();
        costs.add(meter.cost("join"));

        meter.cluster.run(Duration.ofSeconds(10));
        costs.add(meter.cost("rest"));

        meter.nodes.get(1).command(new MembershipCommand.Drain(NodeId.of("node-2"), true));
        meter.cluster.run(Duration.ofSeconds(5));
        assertThat(meter.nodes)
                .allMatch(node ->
                        node.id.value().equals("node-2") || node.peer("node-2").drained());
        costs.add(meter.cost("one change"));

        for (int i = 0; i < restarts; i++) {
            meter.restart(i);
            meter.cluster.run(Duration.ofSeconds(1));
        }
        meter.cluster.run(SETTLE);
        meter.assertAllKnowAll();
        costs.add(meter.cost(restarts + " restarts"));

        partition(meter);
        meter.cluster.run(Duration.ofSeconds(40));
        meter.nodes.get(1).command(new MembershipCommand.Drain(NodeId.of("node-2"), false));
        meter.cluster.run(Duration.ofSeconds(5));
        costs.add(meter.cost("partition"));
        meter.cluster.blocked.clear();
        meter.cluster.run(SETTLE);
        meter.assertAllKnowAll();
        costs.add(meter.cost("heal"));
        return costs;
    }

    private static void partition(Meter meter) {
        int half = meter.nodes.size() / 2;
        for (Process a : meter.nodes.subList(0, half)) {
            for (Process b : meter.nodes.subList(half, meter.nodes.size())) {
                meter.cluster.blockBoth(a, b);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 10})
    void smallClustersPayLittle(int size) {
        List<Cost> costs = live(size, size);

        assertThat(costs.get(2).listBytes()).isLessThan(10_000);
    }

    /** What the whole list cost on each change: 71 MB. */
    @Test
    void oneChangeAmongAHundredCostsLessThanAMegabyteOverAllLinks() {
        List<Cost> costs = live(100, 10);

        assertThat(costs.get(0).bytesPerNode()).as("join").isLessThan(80_000);
        assertThat(costs.get(0).turnsPerNode()).as("turns of joining").isLessThan(4_000);
        assertThat(costs.get(0).listBytesPerNode()).as("join").isLessThan(100_000);
        assertThat(costs.get(1).listBytes()).as("rest").isZero();
        assertThat(costs.get(1).bytesPerNode()).as("heartbeats of ten seconds").isLessThan(30_000);
        assertThat(costs.get(1).turnsPerNode()).as("turns of ten seconds").isLessThan(2_500);
        assertThat(costs.get(2).listBytes()).as("one change, over all links").isLessThan(400_000);
        assertThat(costs.get(2).bytesPerNode())
                .as("one change, with heartbeats of five seconds")
                .isLessThan(16_000);
        assertThat(costs.get(3).bytesPerNode()).as("ten restarts").isLessThan(175_000);
        assertThat(costs.get(3).turnsPerNode()).as("turns of ten restarts").isLessThan(9_000);
        assertThat(costs.get(3).listBytesPerNode()).as("ten restarts").isLessThan(150_000);
        assertThat(costs.get(5).bytesPerNode()).as("heal").isLessThan(65_000);
        assertThat(costs.get(5).turnsPerNode()).as("turns of healing").isLessThan(4_500);
        assertThat(costs.get(5).listBytesPerNode()).as("heal").isLessThan(50_000);
    }

    @Test
    @Tag("soak")
    void aThousandNodes() {
        List<Cost> costs = live(Integer.getInteger("georep.scale", 1000), 3);

        assertThat(costs.get(2).listBytesPerNode()).as("one change").isLessThan(20_000);
    }
}
