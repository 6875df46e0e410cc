package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.funnel.FunnelSettings;
import io.georep.linear.Operation.Kind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A member that is cut off from everybody reads on under its lease, and nothing is committed without it before that has ended. */
class FunnelLeaseTest {
    private static FunnelCluster cluster(FunnelCluster.Flaw flaw) {
        FunnelCluster.Shape shape = FunnelCluster.Shape.of(7, 3);
        FunnelSettings old = shape.settings();
        FunnelSettings patient = old.lease(Duration.ofSeconds(6), old.clockRateError())
                .times(Duration.ofMillis(500), Duration.ofSeconds(20), old.readTimeout(), old.resendAfter());
        FunnelCluster cluster =
                new FunnelCluster(shape.settings(patient).drifting().flaw(flaw)).start();
        assertThat(cluster.put(1, "k", "<old>").isOver).isTrue();
        cluster.pass(0.5).cut(1, 2).cut(1, 3);
        cluster.master().cutOff(cluster.node(1).id());
        return cluster;
    }

    /** Writes at another node while the one that is cut off reads again and again. */
    private static FunnelCluster writeAndRead(FunnelCluster.Flaw flaw) {
        FunnelCluster cluster = cluster(flaw);
        FunnelCall put = new FunnelCall(Kind.PUT, "k", "<new>", null);
        cluster.judge().attempt(put, cluster.node(3));
        for (int i = 0; i < 100; i++) {
            cluster.pass(0.1);
            cluster.read(1, "k");
        }
        assertThat(put.isOver).isTrue();
        cluster.join().pass(6);
        return cluster;
    }

    @Test
    void nothingIsCommittedWhileAMemberMayRead() {
        FunnelCluster cluster = writeAndRead(FunnelCluster.Flaw.NONE);

        cluster.judge().settled();
        assertThat(cluster.judge().history())
                .filteredOn(each -> "<old>".equals(each.seen()))
                .hasSizeGreaterThan(10);
        assertThat(cluster.judge().toString()).contains("NO_LEASE");
    }

    /** The same with a master that does not wait: the test would notice. */
    @Test
    void aMasterThatDoesNotWaitIsNoticed() {
        FunnelCluster cluster = writeAndRead(FunnelCluster.Flaw.HASTY_MASTER);

        assertThatThrownBy(() -> cluster.judge().settled()).hasMessageContaining("not linearizable");
    }
}
