package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.linear.Operation.Kind;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Leases while nothing changes: they need the master, but neither its log nor the same leader all the time. */
class FunnelRenewalTest {
    private SimulatedCluster cluster = FunnelWing.cluster(3);
    private FunnelWing maps = cluster.wing(FunnelWing.class);

    private void nothingIsRefused(Consumer<Integer> meanwhile) {
        nothingIsRefused(true, meanwhile);
    }

    /** For five leases all nodes read, and each writes if there is no reason why it should not. */
    private void nothingIsRefused(boolean writes, Consumer<Integer> meanwhile) {
        for (int step = 0; step < 100; step++) {
            meanwhile.accept(step);
            cluster.pass(0.05);
            for (int node = 1; node <= 3; node++) {
                assertThat(maps.serves(node))
                        .as("node %d reads from memory in step %d", node, step)
                        .isTrue();
            }
            if (writes) {
                FunnelCall put = maps.put(1 + step % 3, "w" + step % 3, "<" + step + ">");
                assertThat(put.isOver).as("write of step %d", step).isTrue();
            }
        }
        cluster.pass(1);
        maps.judge().settled();
    }

    @Test
    void aLogThatSyncsSlowlyStopsNothing() {
        maps.master().slowLog(400 * World.MILLIS);

        nothingIsRefused(step -> {});
    }

    /** Writes wait for the disks, and leases do not. */
    @Test
    void disksOfKeepersThatSyncSlowlyStopNoReads() {
        cluster = FunnelWing.cluster(3, FunnelShape.of(3, 1).keepers(3)).start();
        maps = cluster.wing(FunnelWing.class);
        cluster.pass(5);
        for (SimulatedNode node : cluster.nodes()) {
            node.disk().speed(new SimulatedDisk.Speed(World.MILLIS, 600 * World.MILLIS, 0));
        }
        nothingIsRefused(false, step -> {
            if (step % 2 == 0 && step < 70) {
                maps.judge().attempt(new FunnelCall(Kind.PUT, "other", "<" + step + ">", null), cluster.node(1));
            }
        });
    }

    @Test
    void renewalsLeaveNoEntries() {
        int before = maps.master().entries();

        nothingIsRefused(step -> {});

        assertThat(maps.master().entries()).isEqualTo(before);
    }

    @Test
    void leasesOutliveElections() {
        nothingIsRefused(step -> {
            if (step % 10 == 0) {
                maps.master().changeLeader();
            }
        });
    }

    /**
     * As long as an election takes at most. Writes need a renewal in the last half of a lease. At some moments a question is lost with the
     * leader and the answer to the next one is slow, which is too much for reads too; not at this one.
     */
    @Test
    void readsGoOnWhileALeaderIsMissed() {
        cluster.pass(0.1);
        nothingIsRefused(false, step -> {
            if (step % 40 == 0) {
                maps.master().fail(FunnelShape.LEASE * 4 / 10);
            }
        });
    }
}
