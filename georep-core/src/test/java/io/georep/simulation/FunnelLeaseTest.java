package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.funnel.FunnelSettings;
import io.georep.linear.Operation.Kind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A member that is cut off from everybody reads on under its lease, and nothing is committed without it before that has ended. */
class FunnelLeaseTest {
    private SimulatedCluster cluster;
    private FunnelWing maps;

    private void begin(FunnelShape.Flaw flaw) {
        FunnelShape shape = FunnelShape.of(3, 1).flaw(flaw);
        FunnelSettings old = shape.settings();
        FunnelSettings patient = old.lease(Duration.ofSeconds(6), old.clockRateError())
                .times(Duration.ofMillis(500), Duration.ofSeconds(20), old.readTimeout(), old.resendAfter());
        SimulationOptions options =
                SimulationOptions.scenario(3, world -> new FunnelWing(world, shape.settings(patient)));
        options.driftPpm = 9_900;
        options.isDriftFull = true;
        cluster = new SimulatedCluster(options).start();
        maps = cluster.wing(FunnelWing.class);
        cluster.pass(8); // the first view waits for a lease
        assertThat(maps.put(1, "k", "<old>").isOver).isTrue();
        cluster.pass(0.5).cut(1, 2).cut(1, 3);
        maps.master().cutOff(cluster.node(1).id());
    }

    /** Writes at another node while the one that is cut off reads again and again. */
    private void writeAndRead(FunnelShape.Flaw flaw) {
        begin(flaw);
        FunnelCall put = new FunnelCall(Kind.PUT, "k", "<new>", null);
        maps.judge().attempt(put, cluster.node(3));
        for (int i = 0; i < 100; i++) {
            cluster.pass(0.1);
            maps.read(1, "k");
        }
        assertThat(put.isOver).isTrue();
        cluster.join().pass(6);
    }

    @Test
    void nothingIsCommittedWhileAMemberMayRead() {
        writeAndRead(FunnelShape.Flaw.NONE);

        maps.judge().settled();
        assertThat(maps.judge().history())
                .filteredOn(each -> "<old>".equals(each.seen()))
                .hasSizeGreaterThan(10);
        assertThat(maps.judge().toString()).contains("NO_LEASE");
    }

    /** The same with a master that does not wait: the test would notice. */
    @Test
    void aMasterThatDoesNotWaitIsNoticed() {
        writeAndRead(FunnelShape.Flaw.HASTY_MASTER);

        assertThatThrownBy(() -> maps.judge().settled()).hasMessageContaining("not linearizable");
    }
}
