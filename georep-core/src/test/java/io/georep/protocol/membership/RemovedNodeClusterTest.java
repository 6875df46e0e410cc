package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipClusterTest.FAILOVER;
import static io.georep.protocol.membership.MembershipClusterTest.SETTLE;
import static io.georep.protocol.membership.MembershipClusterTest.assertConverged;
import static io.georep.protocol.membership.MembershipClusterTest.cluster;
import static io.georep.protocol.membership.MembershipClusterTest.started;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.ProtocolConfig;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.MembershipCluster.Disk;
import io.georep.protocol.membership.MembershipCluster.Process;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Removals (M23) in whole clusters over a simulated network. */
class RemovedNodeClusterTest {
    @Test
    void aRemovedNodeIsToldAndKeptOutUntilItIsRestarted() {
        MembershipCluster cluster = cluster(18);
        List<Process> nodes = started(cluster, 4);
        Process removed = nodes.get(3);

        nodes.get(0).command(new MembershipCommand.Remove(removed.id));
        cluster.run(SETTLE);
        assertThat(removed.events).contains(new MembershipEvent.Removed(removed.id));
        assertThat(removed.membership.leaving()).isTrue();
        for (Process other : nodes.subList(0, 3)) {
            assertThat(other.peer("n3").removed()).isTrue();
        }

        removed.crash();
        nodes.set(3, cluster.start("n3", "n3:1", removed.disk));
        cluster.run(SETTLE);
        assertConverged(nodes);
    }

    /** It has crashed, and an operator removes it. */
    private static void removeTheLast(List<Process> nodes) {
        nodes.get(3).crash();
        nodes.get(0).command(new MembershipCommand.Remove(nodes.get(3).id));
    }

    /** Its disk was destroyed, so it was removed; its replacement has the same name, and counts its boots from 1. */
    @Test
    void aRemovedNodeJoinsAnewAlsoWithAnEmptyDirectory() {
        MembershipCluster cluster = cluster(18);
        List<Process> nodes = started(cluster, 4);
        for (int boot = 0; boot < 5; boot++) {
            nodes.get(3).crash();
            nodes.set(3, cluster.start("n3", "n3:1", nodes.get(3).disk, "n0:1"));
            cluster.run(SETTLE);
        }
        removeTheLast(nodes);
        cluster.run(SETTLE);

        nodes.set(3, cluster.start("n3", "n3:1", new Disk(), "n0:1"));
        cluster.run(SETTLE);

        assertConverged(nodes);
    }

    /** A pod that loses its directory with every restart: no restart of the same directory would ever help it. */
    @Test
    void theReplacementOfARemovedNodeMayLoseItsDirectoryToo() {
        MembershipCluster cluster = cluster(18);
        List<Process> nodes = started(cluster, 4);
        removeTheLast(nodes);
        for (int loss = 0; loss < 3; loss++) {
            cluster.run(FAILOVER);
            nodes.get(3).crash();
            nodes.set(3, cluster.start("n3", "n3-" + loss + ":1", new Disk(), "n0:1"));
        }
        cluster.run(SETTLE);

        assertConverged(nodes);
    }

    /** Nothing makes it forget its removal: not that its replacement lives, nor that this one is gone again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeThatReturnsAfterItsReplacementJoinedStaysRemoved(boolean replacementLives) {
        MembershipCluster cluster = cluster(18);
        List<Process> nodes = started(cluster, 4);
        Process removed = nodes.get(3);
        nodes.subList(0, 3).forEach(other -> cluster.blockBoth(other, removed));
        cluster.run(FAILOVER);
        nodes.get(0).command(new MembershipCommand.Remove(removed.id));
        cluster.run(FAILOVER);
        nodes.set(3, cluster.start("n3", "new:1", new Disk(), "n0:1"));
        cluster.run(FAILOVER);
        assertConverged(nodes);
        if (!replacementLives) {
            nodes.get(3).crash();
            cluster.run(FAILOVER);
        }

        cluster.blocked.clear();
        cluster.run(FAILOVER.multipliedBy(3));

        assertThat(removed.membership.self().incarnation()).isEqualTo(1);
        if (replacementLives) {
            assertConverged(nodes);
            assertThat(removed.events).hasAtLeastOneElementOfType(MembershipEvent.Refused.class);
        } else {
            assertThat(removed.membership.selfRemoved()).isTrue();
        }
    }

    /** Others have taken over what it has: it must not go on handing that out. */
    @Test
    void aNodeThatWasOutOfReachWhenItWasRemovedIsToldWhenItReturns() {
        MembershipCluster cluster = cluster(18);
        List<Process> nodes = started(cluster, 4);
        Process removed = nodes.get(3);
        nodes.subList(0, 3).forEach(other -> cluster.blockBoth(other, removed));
        cluster.run(FAILOVER);
        nodes.get(0).command(new MembershipCommand.Remove(removed.id));
        cluster.run(FAILOVER);
        assertThat(removed.membership.selfRemoved()).isFalse();

        cluster.blocked.clear();
        cluster.run(FAILOVER);

        assertThat(removed.membership.selfRemoved()).isTrue();
        for (Process other : nodes.subList(0, 3)) {
            assertThat(other.peer("n3").removed()).isTrue();
            assertThat(other.peer("n3").linked()).isFalse();
        }
    }

    /** Nobody stopped it. Whoever takes it for a node of the cluster again would give it copies, and wait for it for ever. */
    @Test
    void aRemovedProcessThatGoesOnStaysRemovedWhenAllHaveForgottenIt() {
        Duration tombstones = Duration.ofMinutes(5);
        MembershipCluster cluster = new MembershipCluster(
                18, ProtocolConfig.builder().tombstoneLife(tombstones).build());
        List<Process> nodes = started(cluster, 4);
        Process removed = nodes.get(3);
        nodes.get(0).command(new MembershipCommand.Remove(removed.id));
        cluster.run(tombstones.plus(FAILOVER));
        nodes.get(2).crash();
        nodes.set(2, cluster.start("n2", "n2:1", nodes.get(2).disk, "n0:1"));

        for (int seconds = 0; seconds < 2 * tombstones.toSeconds(); seconds++) {
            cluster.run(Duration.ofSeconds(1));
            for (Process other : nodes.subList(0, 3)) {
                Peer known = other.membership.find(removed.id);
                assertThat(known != null && known.selectable(other.nanos()))
                        .as("%s would be chosen by %s after %d s", known, other.id, seconds)
                        .isFalse();
            }
        }
        for (Process other : nodes.subList(0, 3)) {
            Peer known = other.membership.find(removed.id);
            assertThat(known == null || known.removed())
                    .as("%s at %s", known, other.id)
                    .isTrue();
        }
    }
}
