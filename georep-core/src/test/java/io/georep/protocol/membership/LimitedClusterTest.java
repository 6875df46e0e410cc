package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.membership.MembershipCluster.Disk;
import io.georep.protocol.membership.MembershipCluster.Process;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clusters in which most nodes may not decide over others (M33). */
class LimitedClusterTest {
    private static final Duration SETTLE = Duration.ofSeconds(50);
    private static final NodeId GONE = NodeId.of("l9");

    private final List<Process> nodes = new ArrayList<>();
    private MembershipCluster cluster;

    /** Full nodes f0, f1 …, and limited ones l0, l1 …; all know f0. */
    private void start(long seed, int full, int limited) {
        cluster = new MembershipCluster(seed, ProtocolConfig.defaults());
        for (int i = 0; i < full; i++) {
            nodes.add(cluster.start("f" + i, "f" + i + ":1", new Disk(), "f0:1"));
        }
        for (int i = 0; i < limited; i++) {
            Process process = cluster.start("l" + i, "l" + i + ":1", new Disk(), "f0:1");
            process.membership.limited(); // it has no link yet
            nodes.add(process);
        }
        cluster.run(SETTLE);
    }

    private Process node(String name) {
        return nodes.stream()
                .filter(node -> node.id.value().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static boolean knowsRemoval(Process node) {
        return node.membership.find(GONE) != null && node.membership.find(GONE).removed();
    }

    private void assertNothingIgnored() {
        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.membership.decisionsIgnored())
                        .as(node.id.value())
                        .isZero());
    }

    private List<Process> without(Process... left) {
        List<Process> rest = new ArrayList<>(nodes);
        rest.removeAll(List.of(left));
        return rest;
    }

    @Test
    void listsAgreeAlthoughLimitedNodesOnlyIntroduceOthers() {
        start(1, 2, 10);

        assertThat(nodes).allSatisfy(node -> {
            assertThat(node.membership.digest())
                    .isEqualTo(nodes.get(0).membership.digest());
            assertThat(node.membership.cluster().settled()).isTrue();
        });
    }

    /** Rumours pass from few to few, and most of these may not pass it on. So all hear it from where it was ordered. */
    @Test
    void anOrderReachesAllAtOnceFromTheNodeThatMayGiveIt() {
        start(1, 1, 20);

        nodes.get(0).command(new MembershipCommand.Remove(GONE));
        cluster.run(Duration.ofSeconds(1));

        assertThat(without(node("l9"))).allMatch(LimitedClusterTest::knowsRemoval);
        assertNothingIgnored();
    }

    /** Who was out of reach meanwhile hears it when the way is open again, from the node that may say it. */
    @Test
    void whoWasOutOfReachHearsItLater() {
        start(1, 1, 11);
        Process away = node("l0");
        node("l9").crash(); // it would say so itself
        cluster.blockBoth(nodes.get(0), away);
        nodes.get(0).command(new MembershipCommand.Remove(GONE));
        cluster.run(SETTLE);
        assertThat(knowsRemoval(away)).isFalse();

        cluster.blocked.clear();
        cluster.run(SETTLE);

        assertThat(without(node("l9"))).allMatch(LimitedClusterTest::knowsRemoval);
        assertNothingIgnored();
    }

    /** Those who heard it keep to it; the others hear it from the next one that may say it and knows. */
    @Test
    void aDecisionOfANodeThatDiedSpreadsOnceAnotherOneTellsIt() {
        start(1, 2, 10);
        Process decider = node("f0");
        Process other = node("f1");
        Process told = node("l0");
        for (Process node : without(decider, told)) {
            cluster.blockBoth(decider, node);
        }
        decider.command(new MembershipCommand.Remove(GONE));
        cluster.run(Duration.ofSeconds(1));
        decider.crash();
        cluster.blocked.clear();
        cluster.run(SETTLE);
        assertThat(knowsRemoval(told)).isTrue();
        assertThat(without(decider, told)).noneMatch(LimitedClusterTest::knowsRemoval);

        other.command(new MembershipCommand.Remove(GONE));
        cluster.run(Duration.ofSeconds(1));

        assertThat(without(decider, node("l9"))).allMatch(LimitedClusterTest::knowsRemoval);
        assertNothingIgnored();
    }

    @Test
    void anOrderMovesAClusterOfLimitedNodesToo() {
        start(1, 1, 4);
        Process foreign = cluster.start("z", "z:1", new Disk(), "z:1", "y:1");
        cluster.start("y", "y:1", new Disk(), "z:1", "y:1");
        cluster.run(SETTLE);
        String there = foreign.membership.cluster().id();
        Process decider = nodes.get(0);
        decider.crash();
        decider = cluster.start("f0", "f0:1", decider.disk, "f0:1", "z:1");
        nodes.set(0, decider);
        cluster.run(SETTLE);
        assertThat(decider.membership.cluster().id()).isNotEqualTo(there);

        decider.command(new MembershipCommand.JoinClusterOf(foreign.id));
        cluster.run(Duration.ofMinutes(1));

        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.membership.cluster().id())
                        .as(node.id.value())
                        .isEqualTo(there));
    }
}
