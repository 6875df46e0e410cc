package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.linear.Operation.Kind;
import org.junit.jupiter.api.Test;

/** A node that stops in order says so to the master, and nobody waits for its lease. */
class FunnelFarewellTest {
    private final SimulatedCluster cluster = FunnelWing.cluster(3);
    private final FunnelWing maps = cluster.wing(FunnelWing.class);

    /** Returns after how many nanoseconds a write was committed at a node. */
    private long writeAt(int node, String value) {
        long from = cluster.world().now();
        FunnelCall put = new FunnelCall(Kind.PUT, "k", value, null);
        maps.judge().attempt(put, cluster.node(node));
        cluster.world().runUntil(() -> put.isOver, 20 * World.SECONDS);
        assertThat(put.isOver).isTrue();
        return cluster.world().now() - from;
    }

    @Test
    void atEachStepOfARollingRestartWritesStopForThreeTenthsOfALeaseAtMost() {
        for (int node = 1; node <= 3; node++) {
            cluster.node(node).stop();

            assertThat(writeAt(1 + node % 3, "<without " + node + ">"))
                    .as("without n%d", node)
                    .isLessThan(FunnelShape.LEASE * 3 / 10);

            cluster.node(node).start();
            cluster.pass(4);
            assertThat(maps.master().view().members()).hasSize(3);
        }
        maps.judge().settled();
    }

    /** The control: without a farewell they wait for the lease. */
    @Test
    void aNodeThatDiesIsWaitedFor() {
        cluster.node(1).crash();

        assertThat(writeAt(2, "<without>")).isGreaterThan(FunnelShape.LEASE / 2);
    }
}
