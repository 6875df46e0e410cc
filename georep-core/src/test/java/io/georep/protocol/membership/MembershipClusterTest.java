package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.BootKind;
import io.georep.protocol.Peer;
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

/** Whole clusters of memberships over a simulated network. */
class MembershipClusterTest {
    static final Duration SETTLE = Duration.ofSeconds(10);
    static final Duration FAILOVER = Duration.ofSeconds(36);

    static MembershipCluster cluster(long seed) {
        return new MembershipCluster(seed, ProtocolConfig.defaults());
    }

    /** Nodes n0 to n(size-1), which all know n0. */
    static List<Process> started(MembershipCluster cluster, int size) {
        List<Process> nodes = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            nodes.add(cluster.start("n" + i, "n" + i + ":1", new Disk(), "n0:1"));
        }
        cluster.run(SETTLE);
        assertConverged(nodes);
        return nodes;
    }

    private static List<String> view(Process node) {
        List<String> view = new ArrayList<>();
        for (Peer peer : node.membership.all()) {
            view.add(peer.id() + " " + peer.incarnation() + " " + peer.removed() + " " + peer.drained());
        }
        view.add(node.id + " " + node.membership.self().incarnation() + " false " + node.membership.selfDrained());
        view.sort(null);
        return view;
    }

    static void assertConverged(List<Process> nodes) {
        assertThat(nodes)
                .allSatisfy(node ->
                        assertThat(view(node)).isEqualTo(view(nodes.get(0))).hasSize(nodes.size()));
        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.membership.all()).allSatisfy(peer -> {
                    assertThat(peer.state()).isEqualTo(PeerState.ACTIVE);
                    assertThat(peer.selectable(node.nanos())).isTrue();
                    assertThat(peer.rttMinNanos()).isBetween(2_000_000L, 202_000_000L);
                }));
    }

    private static PeerState state(Process observer, Process observed) {
        return observer.peer(observed.id.value()).state();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void nodesThatJoinInAnyOrderWithAnySeedsConverge(long seed) {
        MembershipCluster cluster = cluster(seed);
        Random random = new Random(seed);
        List<Process> nodes = new ArrayList<>();
        int size = 3 + random.nextInt(6);
        for (int i = 0; i < size; i++) {
            // Each knows one node that may start later; together they are connected.
            String seedAddress = "n" + (i == 0 ? random.nextInt(size) : random.nextInt(i)) + ":1";
            nodes.add(cluster.start("n" + i, "n" + i + ":1", new Disk(), seedAddress));
            cluster.run(Duration.ofMillis(random.nextInt(2000)));
        }
        cluster.run(Duration.ofSeconds(30));

        assertConverged(nodes);
        // Per fact at most n (n - 1) lists; there are n facts.
        assertThat(cluster.listFrames).isLessThanOrEqualTo(size * size * (size - 1));
        int before = cluster.listFrames;
        cluster.run(Duration.ofMinutes(5));
        assertThat(cluster.listFrames).as("no change, no broadcast").isEqualTo(before);
    }

    @Test
    void oneSeedGivesOneTrace() {
        List<List<String>> traces = new ArrayList<>();
        for (int run = 0; run < 2; run++) {
            MembershipCluster cluster = cluster(99);
            started(cluster, 5).get(2).crash();
            cluster.run(FAILOVER);
            traces.add(cluster.trace);
        }

        assertThat(traces.get(0)).isEqualTo(traces.get(1)).isNotEmpty();
    }

    @Test
    void aCrashedNodeIsGivenUpByAllAndMetAgainAfterItsRestart() {
        MembershipCluster cluster = cluster(11);
        List<Process> nodes = started(cluster, 4);
        Process victim = nodes.get(1);

        victim.crash();
        cluster.run(FAILOVER);
        assertThat(state(nodes.get(0), victim)).isEqualTo(PeerState.TERMINATED);
        assertThat(state(nodes.get(3), victim)).isEqualTo(PeerState.TERMINATED);

        nodes.set(1, cluster.start("n1", "n1:1", victim.disk));
        cluster.run(SETTLE);
        assertConverged(nodes);
        assertThat(nodes.get(1).membership.bootKind()).isEqualTo(BootKind.LATE);
        assertThat(nodes.get(1).membership.self().incarnation()).isEqualTo(2);
    }

    @Test
    void goodbyeReachesThoseWhoCouldNotHearIt() {
        MembershipCluster cluster = cluster(12);
        List<Process> nodes = started(cluster, 4);
        Process leaver = nodes.get(1);
        cluster.block(leaver, nodes.get(3));

        leaver.command(new MembershipCommand.Leave(Duration.ofHours(1)));
        cluster.run(Duration.ofSeconds(4));
        assertThat(leaver.events).contains(new MembershipEvent.Left());
        leaver.crash();
        cluster.run(FAILOVER);

        for (Process other : List.of(nodes.get(0), nodes.get(2), nodes.get(3))) {
            assertThat(state(other, leaver)).isEqualTo(PeerState.ARNOLD);
        }
        cluster.run(Duration.ofHours(1));
        for (Process other : List.of(nodes.get(0), nodes.get(2), nodes.get(3))) {
            assertThat(state(other, leaver)).isEqualTo(PeerState.TERMINATED);
        }
    }

    @Test
    void listsLostOnTheWayAreRepaired() {
        MembershipCluster cluster = cluster(21);
        List<Process> nodes = started(cluster, 4);
        Process leaver = nodes.get(1);
        for (Process from : nodes.subList(0, 3)) {
            cluster.block(from, nodes.get(3));
        }

        leaver.command(new MembershipCommand.Leave(Duration.ofHours(1)));
        cluster.run(Duration.ofMillis(3500));
        leaver.crash();
        cluster.blocked.clear();
        assertThat(state(nodes.get(3), leaver)).isEqualTo(PeerState.ACTIVE);
        cluster.run(SETTLE);

        assertThat(state(nodes.get(3), leaver)).isEqualTo(PeerState.ARNOLD);
    }

    @Test
    void anEarlyReturnIsPrompt() {
        MembershipCluster cluster = cluster(13);
        List<Process> nodes = started(cluster, 3);
        nodes.get(2).command(new MembershipCommand.Leave(Duration.ofHours(1)));
        cluster.run(Duration.ofSeconds(1));
        nodes.get(2).crash();
        cluster.run(Duration.ofMinutes(10));

        nodes.set(2, cluster.start("n2", "n2:1", nodes.get(2).disk));
        cluster.run(SETTLE);

        assertThat(nodes.get(2).membership.bootKind()).isEqualTo(BootKind.PROMPT);
        assertConverged(nodes);
    }

    @Test
    void aRestoredImageLearnsItsAgeAndComesBackUnderANewIncarnation() {
        MembershipCluster cluster = cluster(14);
        List<Process> nodes = started(cluster, 3);
        Disk image = nodes.get(1).disk.copy();
        for (int i = 0; i < 3; i++) {
            nodes.get(1).crash();
            nodes.set(1, cluster.start("n1", "n1:1", nodes.get(1).disk));
            cluster.run(SETTLE);
        }
        nodes.get(1).crash();

        nodes.set(1, cluster.start("n1", "n1:1", image));
        cluster.run(SETTLE);

        assertThat(nodes.get(1).membership.self().incarnation()).isEqualTo(5);
        assertThat(nodes.get(1).membership.bootKind()).isEqualTo(BootKind.STALE);
        assertConverged(nodes);
    }

    @Test
    void anImageRestoredToTheSameNumberIsFoundOutToo() {
        MembershipCluster cluster = cluster(15);
        List<Process> nodes = started(cluster, 3);
        Disk image = nodes.get(1).disk.copy();
        nodes.get(1).crash();
        nodes.set(1, cluster.start("n1", "n1:1", nodes.get(1).disk));
        cluster.run(SETTLE);
        nodes.get(1).crash();

        nodes.set(1, cluster.start("n1", "n1:1", image));
        cluster.run(SETTLE);

        assertThat(nodes.get(1).membership.self().incarnation()).isEqualTo(3);
        assertThat(nodes.get(1).membership.bootKind()).isEqualTo(BootKind.STALE);
        assertConverged(nodes);
    }

    @Test
    void anEmptiedDirectoryIsFreshUnderANewIncarnation() {
        MembershipCluster cluster = cluster(16);
        List<Process> nodes = started(cluster, 3);
        nodes.get(1).crash();

        nodes.set(1, cluster.start("n1", "n1:1", new Disk(), "n0:1"));
        cluster.run(SETTLE);

        assertThat(nodes.get(1).membership.bootKind()).isEqualTo(BootKind.FRESH);
        assertThat(nodes.get(1).membership.self().incarnation()).isEqualTo(2);
        assertConverged(nodes);
    }

    @Test
    void aCopiedDirectoryIsRefusedAndBothSidesAreTold() {
        MembershipCluster cluster = cluster(17);
        List<Process> nodes = started(cluster, 3);

        Process copy = cluster.start("n1", "copy:1", nodes.get(1).disk.copy(), "n0:1", "n2:1", "n1:1");
        cluster.run(SETTLE);

        assertConverged(nodes);
        assertThat(nodes.get(0).events)
                .anySatisfy(event -> assertThat(event)
                        .isInstanceOfSatisfying(
                                MembershipEvent.Conflict.class,
                                conflict -> assertThat(conflict.detail())
                                        .contains("n1:1")
                                        .contains("copy:1")));
        assertThat(nodes.get(1).events)
                .as("the copy had its address among the seeds")
                .hasAtLeastOneElementOfType(MembershipEvent.Refused.class);
        assertThat(copy.events).hasAtLeastOneElementOfType(MembershipEvent.Refused.class);
    }

    @Test
    void aDrainReachesEveryone() {
        MembershipCluster cluster = cluster(19);
        List<Process> nodes = started(cluster, 4);

        nodes.get(0).command(new MembershipCommand.Drain(NodeId.of("n3"), true));
        cluster.run(SETTLE);

        assertThat(nodes.get(3).membership.selfDrained()).isTrue();
        assertThat(nodes.get(1).peer("n3").drained()).isTrue();
    }

    /** Whom a one-way block hides from whom (section 7 of the protocol, life signs). */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aOneWayBlockHidesOneSideOrBoth(boolean isSilentToTerminated) {
        MembershipCluster cluster = cluster(20);
        cluster.isSilentToTerminated = isSilentToTerminated;
        List<Process> nodes = started(cluster, 2);

        cluster.block(nodes.get(0), nodes.get(1));
        cluster.run(Duration.ofSeconds(80));

        assertThat(state(nodes.get(1), nodes.get(0))).isEqualTo(PeerState.TERMINATED);
        PeerState other = state(nodes.get(0), nodes.get(1));
        assertThat(other).isEqualTo(isSilentToTerminated ? PeerState.TERMINATED : PeerState.ACTIVE);
        assertThat(nodes.get(0).peer("n1").selectable(cluster.nowNanos)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 290})
    void afterAnyTroubleAllListsAreEqualAgain(long seed) {
        MembershipCluster cluster = cluster(1000 + seed);
        Random random = new Random(seed);
        List<Process> nodes = started(cluster, 5);

        for (int step = 0; step < 40; step++) {
            int i = random.nextInt(nodes.size());
            Process node = nodes.get(i);
            Process other = nodes.get(random.nextInt(nodes.size()));
            switch (random.nextInt(6)) {
                case 0 -> cluster.block(node, other);
                case 1 -> cluster.blockBoth(node, other);
                case 2 -> cluster.blocked.clear();
                case 3 -> node.command(new MembershipCommand.Drain(other.id, random.nextBoolean()));
                case 4 -> restart(cluster, nodes, i, random.nextInt(60));
                default -> {
                    node.command(new MembershipCommand.Leave(Duration.ofSeconds(random.nextInt(60))));
                    cluster.run(Duration.ofSeconds(4));
                    restart(cluster, nodes, i, random.nextInt(60));
                }
            }
            cluster.run(Duration.ofMillis(random.nextInt(20_000)));
        }
        cluster.blocked.clear();
        cluster.run(Duration.ofMinutes(1));
        assertThat(nodes.stream().map(MembershipClusterTest::view).distinct()).hasSize(1);
        for (int i = 0; i < nodes.size(); i++) {
            nodes.get(0).command(new MembershipCommand.Drain(NodeId.of("n" + i), false));
        }
        cluster.run(Duration.ofMinutes(1));

        assertConverged(nodes);
        assertThat(new TreeSet<>(cluster.processes.keySet())).hasSize(5);
    }

    private static void restart(MembershipCluster cluster, List<Process> nodes, int index, int downSeconds) {
        Process old = nodes.get(index);
        old.crash();
        cluster.run(Duration.ofSeconds(downSeconds));
        nodes.set(index, cluster.start(old.id.value(), old.address, old.disk, "n0:1"));
    }
}
