package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.membership.MembershipCluster.Disk;
import io.georep.protocol.membership.MembershipCluster.Process;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which nodes are one cluster (M28 to M32): whole clusters of memberships over a simulated network. */
class ClusterIdTest {
    private static final Duration SETTLE = Duration.ofSeconds(50);

    private MembershipCluster cluster = cluster(1);

    private static MembershipCluster cluster(long seed) {
        return new MembershipCluster(seed, ProtocolConfig.defaults());
    }

    private Process start(String id, String... seeds) {
        return cluster.start(id, id + ":1", new Disk(), seeds);
    }

    private Process restart(Process node, String... seeds) {
        node.crash();
        return cluster.start(node.id.value(), node.address, node.disk, seeds);
    }

    /** The names a node takes for its cluster's, with the boots it knows of them. */
    private static List<String> names(Process node) {
        TreeSet<String> names = new TreeSet<>(List.of(node.id.value()));
        for (Peer peer : node.membership.all()) {
            names.add(peer.id().value());
        }
        return List.copyOf(names);
    }

    private static Peers.Cluster clusterOf(Process node) {
        return node.membership.cluster();
    }

    private static void assertOne(List<Process> nodes) {
        List<String> all = nodes.stream().map(node -> node.id.value()).sorted().toList();
        assertThat(nodes).allSatisfy(node -> {
            assertThat(clusterOf(node).settled())
                    .as(() -> node.id + ": " + clusterOf(node))
                    .isTrue();
            assertThat(clusterOf(node).id()).isEqualTo(clusterOf(nodes.get(0)).id());
            assertThat(names(node)).isEqualTo(all);
        });
    }

    private static List<MembershipEvent.Foreign> complaints(Process node) {
        return node.events.stream()
                .filter(MembershipEvent.Foreign.class::isInstance)
                .map(MembershipEvent.Foreign.class::cast)
                .toList();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void twoClustersStayTwoAlthoughANodeHasASeedOfTheOther(long seed) {
        cluster = cluster(seed);
        Process a = start("a", "a:1", "b:1");
        Process b = start("b", "a:1", "b:1");
        Process c = start("c", "c:1", "d:1");
        Process d = start("d", "c:1", "d:1");
        cluster.run(SETTLE);
        assertOne(List.of(a, b));
        assertOne(List.of(c, d));

        Process wrong = restart(b, "a:1", "b:1", "c:1");
        cluster.run(Duration.ofMinutes(10));

        assertOne(List.of(a, wrong));
        assertOne(List.of(c, d));
        // Both operators are told, once, with both ids; both see whom it is about.
        for (Process met : List.of(wrong, c)) {
            assertThat(complaints(met)).hasSize(1);
            assertThat(complaints(met).get(0).detail())
                    .contains(clusterOf(a).id(), clusterOf(c).id());
            assertThat(met.membership.strangers()).hasSize(1).allMatch(Peer::foreign);
        }
        assertThat(complaints(a)).isEmpty();
        assertThat(a.membership.strangers()).isEmpty();
        assertThat(d.membership.strangers()).isEmpty();
    }

    @Test
    void anotherClustersNodeOfTheSameNameReplacesNobody() {
        Process a = start("a", "b:1");
        Process b = start("b", "a:1");
        Process c = start("c", "other:1");
        Process other = cluster.start("b", "other:1", new Disk(), "c:1");
        cluster.run(SETTLE);
        for (int boot = 0; boot < 3; boot++) {
            other = restart(other, "c:1");
        }
        cluster.run(SETTLE);

        Process wrong = restart(a, "b:1", "other:1");
        cluster.run(Duration.ofMinutes(10));

        assertOne(List.of(wrong, b));
        assertOne(List.of(c, other));
        assertThat(wrong.peer("b").incarnation()).isEqualTo(1);
        assertThat(wrong.peer("b").state()).isEqualTo(PeerState.ACTIVE);
        assertThat(complaints(wrong)).isNotEmpty();
    }

    @Test
    void whatIsSettledStaysSoWithoutSeedsAndWithoutPeers() {
        List<Process> nodes = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            nodes.add(start(name, "a:1", "b:1", "c:1"));
        }
        cluster.run(SETTLE);
        assertOne(nodes);
        String id = clusterOf(nodes.get(0)).id();
        nodes.forEach(Process::crash);

        Process alone = cluster.start("b", "b:1", nodes.get(1).disk);
        cluster.run(SETTLE);

        assertThat(clusterOf(alone)).isEqualTo(new Peers.Cluster(id, true, ""));
    }

    @Test
    void aSeedNobodyReachedLeavesAllForming() {
        Process a = start("a", "a:1", "b:1");
        Process b = start("b", "a:1", "b:1", "late:1");
        cluster.run(Duration.ofHours(1));

        assertThat(clusterOf(a).settled()).isFalse();
        assertThat(clusterOf(a).id()).isEqualTo(clusterOf(b).id());
        assertThat(clusterOf(b).settled()).isFalse();
        assertThat(clusterOf(b).waitsFor()).contains("late:1");

        Process late = start("late", "a:1");
        cluster.run(SETTLE);
        assertOne(List.of(a, b, late));
    }

    @Test
    void aNodeAloneIsNotSettled() {
        Process alone = start("a", "a:1");
        cluster.run(Duration.ofHours(1));

        assertThat(clusterOf(alone).settled()).isFalse();
        assertThat(clusterOf(alone).waitsFor()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void theSidesOfAPartitionAtBirthMergeWhenItHeals(long seed) {
        cluster = cluster(seed);
        List<Process> nodes = new ArrayList<>();
        for (String name : List.of("a", "b", "c", "d", "e")) {
            nodes.add(start(name, "a:1", "c:1"));
        }
        for (Process left : nodes.subList(0, 2)) {
            nodes.subList(2, 5).forEach(right -> cluster.blockBoth(left, right));
        }
        cluster.run(Duration.ofMinutes(30));

        cluster.blocked.clear();
        cluster.run(Duration.ofMinutes(2));

        assertOne(nodes);
        assertThat(nodes).allMatch(node -> complaints(node).isEmpty());
    }

    /** One side has all seeds it knows of; a single node of the other one knows of it. */
    @Test
    void aSideSettlesOnlyWhenNoneOfItsNodesSeeksTheOther() {
        Process a = start("a", "a:1", "b:1");
        Process b = start("b", "a:1", "b:1");
        Process c = start("c", "c:1", "d:1", "a:1");
        Process d = start("d", "c:1", "d:1");
        for (Process left : List.of(a, b)) {
            List.of(c, d).forEach(right -> cluster.blockBoth(left, right));
        }
        cluster.run(Duration.ofMinutes(30));
        assertOne(List.of(a, b));
        assertThat(clusterOf(d).settled()).isFalse();

        cluster.blocked.clear();
        cluster.run(Duration.ofMinutes(2));

        assertOne(List.of(a, b, c, d));
    }

    /** Nodes come up at any time and meet in any order: never do two parts settle on ids of their own. */
    @Test
    void nodesThatJoinInAnyOrderAgreeOnOneId() {
        for (long seed = 1; seed <= 150; seed++) {
            cluster = cluster(seed);
            Random random = new Random(seed);
            int size = 3 + random.nextInt(5);
            List<Process> nodes = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                String[] seeds = random.nextBoolean()
                        ? new String[] {"n0:1", "n1:1", "n2:1"}
                        : new String[] {"n" + (i == 0 ? random.nextInt(size) : random.nextInt(i)) + ":1"};
                nodes.add(start("n" + i, seeds));
                cluster.run(Duration.ofMillis(random.nextInt(random.nextBoolean() ? 300 : 3000)));
            }
            cluster.run(Duration.ofMinutes(1));

            assertOne(nodes);
        }
    }

    @Test
    void anEmptiedStoreTakesTheIdItMeets() {
        List<Process> nodes = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            nodes.add(start(name, "a:1", "b:1", "c:1"));
        }
        cluster.run(SETTLE);
        assertOne(nodes);
        String id = clusterOf(nodes.get(0)).id();

        nodes.get(1).crash();
        nodes.set(1, start("b", "a:1", "b:1", "c:1"));
        cluster.run(SETTLE);

        assertOne(nodes);
        assertThat(clusterOf(nodes.get(1)).id()).isEqualTo(id);
    }

    /** All who could say which cluster these seeds lead to are nodes that are no seeds. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void seedsEmptiedTogetherJoinTheClusterTheyLeft(long seed) {
        cluster = cluster(seed);
        List<Process> nodes = new ArrayList<>();
        for (String name : List.of("a", "b", "c", "d")) {
            nodes.add(start(name, "a:1", "b:1"));
        }
        cluster.run(SETTLE);
        assertOne(nodes);
        String id = clusterOf(nodes.get(3)).id();

        nodes.subList(0, 2).forEach(Process::crash);
        cluster.run(Duration.ofHours(1));
        nodes.set(0, start("a", "a:1", "b:1"));
        nodes.set(1, start("b", "a:1", "b:1"));
        cluster.run(SETTLE);

        assertOne(nodes);
        assertThat(clusterOf(nodes.get(0)).id()).isEqualTo(id);
        assertThat(nodes).allMatch(node -> complaints(node).isEmpty());
    }

    @Test
    void aNewClusterSettlesOnceNobodyWhoKnowsAnotherHadTheTimeToSpeak() {
        Process a = start("a", "a:1", "b:1");
        Process b = start("b", "a:1", "b:1");

        cluster.run(ProtocolConfig.defaults().failoverAfter().minusSeconds(1));
        assertThat(clusterOf(a).settled()).isFalse();
        assertThat(clusterOf(a).waitsFor()).contains("older cluster");
        cluster.run(Duration.ofSeconds(3));

        assertOne(List.of(a, b));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aNewcomerWithSeedsOfTwoClustersBelongsToOneAndTheOtherNeverLearnsItsName(long seed) {
        cluster = cluster(seed);
        Process a = start("a", "a:1", "b:1");
        Process b = start("b", "a:1", "b:1");
        Process c = start("c", "c:1", "d:1");
        Process d = start("d", "c:1", "d:1");
        cluster.run(SETTLE);

        Process newcomer = start("n", "a:1", "c:1");
        cluster.run(Duration.ofMinutes(5));

        boolean left = clusterOf(newcomer).id().equals(clusterOf(a).id());
        assertOne(left ? List.of(a, b, newcomer) : List.of(a, b));
        assertOne(left ? List.of(c, d) : List.of(c, d, newcomer));
    }

    @Test
    void anOrderMergesPartsThatRefuseEachOther() {
        Process a = start("a", "a:1", "b:1");
        Process b = start("b", "a:1", "b:1");
        Process c = start("c", "c:1", "d:1");
        Process d = start("d", "c:1", "d:1");
        cluster.run(SETTLE);
        String kept = clusterOf(c).id();
        Process wrong = restart(b, "a:1", "b:1", "c:1");
        cluster.run(SETTLE);

        wrong.command(new MembershipCommand.JoinClusterOf(a.id));
        cluster.run(SETTLE);
        assertOne(List.of(a, wrong));
        wrong.command(new MembershipCommand.JoinClusterOf(c.id));
        cluster.run(Duration.ofMinutes(1));

        assertOne(List.of(a, wrong, c, d));
        assertThat(clusterOf(a).id()).isEqualTo(kept);
        assertThat(complaints(a)).as("it follows whoever was of its cluster").isEmpty();
        Process again = restart(a, "b:1");
        cluster.run(SETTLE);
        assertOne(List.of(again, wrong, c, d));
    }
}
