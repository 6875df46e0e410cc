package io.georep.geopaxos.core;

import static io.georep.geopaxos.core.ThreeGroups.nodes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.georep.consensus.LogTiming;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.placement.CostModel;
import io.georep.geopaxos.core.placement.SiteCounts;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Objects go to the groups near those who use them, in worlds without chance. */
class PlacerTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;
    private static final long PERIOD = 60 * SECOND;

    /** One way between A, B and C, in milliseconds: the example of the paper. */
    private static final int[][] DELAYS = {{0, 75, 35}, {75, 0, 45}, {35, 45, 0}};

    /** From each home to the nearest other voter and back: what a group takes to decide. */
    private static final int[] QUORUM = {70, 90, 70};

    private GeoCluster cluster;
    private long calls;

    private void start(List<List<NodeId>> founders, int[][] delays) {
        cluster = new GeoCluster(1, Rules::new, founders, delays, PERIOD);
        cluster.run(5 * SECOND);
    }

    private void startThree() {
        start(List.of(nodes("n1", "n2", "n3"), nodes("n2", "n3", "n1"), nodes("n3", "n1", "n2")), DELAYS);
    }

    private GeoMember member(String name) {
        return cluster.members.get(NodeId.of(name));
    }

    private long ask(GeoMember at, List<Integer> reads, List<Integer> writes) {
        long call = ++calls;
        Slice body = LeafService.use(call, reads, writes);
        at.turn(() -> {
            if (writes.isEmpty()) {
                at.node.read(call, body, at.now());
            } else {
                at.node.submit(call, 1, call, 0, body, at.now());
            }
        });
        return call;
    }

    /** Returns how long it took, in milliseconds. */
    private long await(long call) {
        long start = cluster.now;
        while (!cluster.answers.containsKey(call) && cluster.now - start < 5 * SECOND) {
            cluster.run(GeoCluster.MILLI);
        }
        assertThat(cluster.answers).containsKey(call);
        return (cluster.now - start) / GeoCluster.MILLI;
    }

    private long put(GeoMember at, int key) {
        return await(ask(at, List.of(), List.of(key)));
    }

    private long get(GeoMember at, int key) {
        return await(ask(at, List.of(key), List.of()));
    }

    private int groupsOf(int key) {
        GeoMember one = member("n1");
        return one.node.groupsOf(one.service.leafOf(key));
    }

    /** The keys below 16 and the others get leaves of their own. */
    private void splitLeaves() {
        GeoMember one = member("n1");
        for (int key = 0; key < LeafService.KEYS; key += 4) {
            put(one, key);
        }
        long call = ++calls;
        Slice split = one.service.split(call, 0);
        one.turn(() -> one.node.submit(call, 1, call, 0, split, one.now()));
        await(call);
        assertThat(one.service.leafOf(0)).isNotEqualTo(one.service.leafOf(16));
    }

    /** Where writes take as long wherever the leaf is, reads say where it belongs. */
    private void use(GeoMember at, int key, int times) {
        for (int i = 0; i < times; i++) {
            put(at, key);
            get(at, key);
        }
    }

    /** Returns what a write of one and a read of the other take together. */
    private long both(GeoMember one, int key, GeoMember other, int otherKey, int times) {
        long sum = 0;
        for (int i = 0; i < times; i++) {
            sum += put(one, key) + get(other, otherKey);
        }
        return sum / times;
    }

    @Test
    void leavesGoToTheirUsersAndTheLatencyFollowsTheModel() {
        startThree();
        splitLeaves();
        cluster.run(PERIOD);
        long before = both(member("n2"), 1, member("n3"), 17, 60);
        assertThat(groupsOf(1)).isEqualTo(1);
        cluster.run(PERIOD);
        assertThat(groupsOf(1)).isEqualTo(2);
        assertThat(groupsOf(17)).isEqualTo(4);
        long after = both(member("n2"), 1, member("n3"), 17, 5);

        assertThat(put(member("n2"), 1)).as("a round trip to the nearest voter").isBetween(90L, 92L);
        assertThat(get(member("n3"), 17)).isZero();
        int[][] rtt = new int[3][3];
        int[][] rounds = new int[3][3];
        for (int from = 0; from < 3; from++) {
            rounds[from][from] = QUORUM[from];
            for (int to = 0; to < 3; to++) {
                rtt[from][to] = 2 * DELAYS[from][to];
            }
        }
        CostModel model = new CostModel(rtt, rounds);
        SiteCounts lower = new SiteCounts(3).add(1, 0, 1);
        SiteCounts upper = new SiteCounts(3).add(2, 1, 0);
        double expected = model.cost(1, lower) + model.cost(1, upper);
        double moved = model.cost(2, lower) + model.cost(4, upper);
        assertThat((double) before / after).isCloseTo(expected / moved, within(0.2 * expected / moved));
    }

    /** As a write, each look at a leaf would draw it to whoever looks, as if a group of its own saved something (A2). */
    @Test
    void whatAnOperationOnlyReadsCountsAsRead() {
        startThree();
        splitLeaves();
        cluster.run(PERIOD);
        await(ask(member("n2"), List.of(17), List.of(1)));
        cluster.run(SECOND);
        GeoMember one = member("n1");
        SiteCounts read = one.node.placer().uses(one.service.leafOf(17));
        SiteCounts written = one.node.placer().uses(one.service.leafOf(1));
        assertThat(List.of(read.reads(1), read.writes(1))).containsExactly(1, 0);
        assertThat(List.of(written.reads(1), written.writes(1))).containsExactly(0, 1);
    }

    /** Its way to the leader and back is no longer than the round that it would need at home. */
    @Test
    void whoeverOnlyWritesAndVotesNearByKeepsTheLeafWhereItIs() {
        startThree();
        splitLeaves();
        cluster.run(PERIOD);
        for (int i = 0; i < 100; i++) {
            assertThat(put(member("n3"), 17)).isBetween(70L, 72L);
        }
        cluster.run(2 * PERIOD);
        assertThat(groupsOf(17)).isEqualTo(1);
    }

    /** What a group takes to decide counts as well. */
    @Test
    void aGroupWhoseMajorityIsFarGetsNothing() {
        int[][] delays = {
            {0, 5, 10, 200, 200}, {5, 0, 10, 200, 200}, {10, 10, 0, 75, 75}, {200, 200, 75, 0, 5}, {200, 200, 75, 5, 0}
        };
        start(List.of(nodes("n1", "n2", "n3"), nodes("n3", "n4", "n5")), delays);
        splitLeaves();
        cluster.run(PERIOD);
        for (int i = 0; i < 60; i++) {
            put(member("n3"), 17);
        }
        cluster.run(2 * PERIOD);
        assertThat(groupsOf(17))
                .as("20 ms away, decides in 10; the one that is here takes 150")
                .isEqualTo(1);
        assertThat(put(member("n3"), 17)).isLessThan(50);
    }

    /** M14: nobody executes them elsewhere, so they are reported. */
    @Test
    void readsWithoutMessagesCountToo() {
        startThree();
        splitLeaves();
        cluster.run(PERIOD);
        for (int i = 0; i < 60; i++) {
            put(member("n2"), 1);
        }
        cluster.run(PERIOD);
        assertThat(groupsOf(1)).isEqualTo(2);
        for (int i = 0; i < 200; i++) {
            assertThat(get(member("n2"), 1)).as("a read where the leaf is").isZero();
        }
        for (int i = 0; i < 100; i++) {
            put(member("n1"), 1);
        }
        cluster.run(2 * PERIOD);
        assertThat(groupsOf(1)).as("of a leaf that is mostly read at n2").isEqualTo(2);
        for (int i = 0; i < 1200; i++) {
            put(member("n1"), 1);
        }
        cluster.run(2 * PERIOD);
        assertThat(groupsOf(1)).as("of a leaf that is mostly written at n1").isEqualTo(1);
        cluster.compareStates();
    }

    /** The last group has other nodes than the first two. */
    private void startSix() {
        int[][] delays = new int[6][6];
        for (int from = 0; from < 6; from++) {
            for (int to = 0; to < 6; to++) {
                delays[from][to] = from == to ? 0 : from / 3 == to / 3 ? 20 : 40;
            }
        }
        start(List.of(nodes("n1", "n2", "n3"), nodes("n2", "n3", "n1"), nodes("n4", "n5", "n6")), delays);
        splitLeaves();
    }

    @Test
    void aReadUsesAGroupThatHasALeader() {
        startSix();
        GeoMember one = member("n1");
        long move = ++calls;
        one.turn(() -> one.node.move(move, new long[] {one.service.leafOf(17)}, 1, 5, one.now()));
        await(move);
        cluster.run(SECOND);
        assertThat(get(member("n6"), 17)).as("of the group that is near").isLessThan(50);
        List.of(member("n4"), member("n5")).forEach(cluster::crash);
        cluster.run(10 * SECOND);
        assertThat(get(member("n6"), 17)).as("of the other one").isBetween(50L, 100L);
    }

    @Test
    void aDeadGroupStopsNoOtherMoves() {
        startSix();
        cluster.run(PERIOD);
        for (int i = 0; i < 30; i++) {
            put(member("n4"), 17);
        }
        cluster.run(PERIOD);
        assertThat(groupsOf(17)).isEqualTo(4);
        use(member("n2"), 17, 30);
        use(member("n2"), 1, 30);
        List<GeoMember> dead = List.of(member("n4"), member("n5"));
        dead.forEach(cluster::crash);
        cluster.run(2 * PERIOD);

        assertThat(groupsOf(17)).as("nobody can take it away").isEqualTo(4);
        assertThat(groupsOf(1)).isEqualTo(2);
        assertThat(member("n1").node.executor().pending()).isEmpty();
        dead.forEach(cluster::boot);
        cluster.run(10 * SECOND);
        use(member("n2"), 17, 30);
        cluster.run(2 * PERIOD);
        assertThat(groupsOf(17)).isEqualTo(2);
        cluster.compareStates();
    }

    /** Otherwise one that comes and goes would stop all moves. */
    @Test
    void aGroupThatComesAndGoesStopsNoOtherMoves() {
        startSix();
        List<GeoMember> dead = List.of(member("n4"), member("n5"));
        for (int round = 0; round < 8; round++) {
            dead.forEach(cluster::crash);
            cluster.run(10 * SECOND);
            dead.forEach(cluster::boot);
            cluster.run(25 * SECOND); // so that moves are decided at any moment of a round
            for (int i = 0; i < 30; i++) {
                use(member("n2"), 1, 1);
                put(member("n6"), 17);
            }
        }
        assertThat(groupsOf(1)).isEqualTo(2);
        assertThat(groupsOf(17)).as("it may be gone again in a moment").isEqualTo(1);

        cluster.run(PERIOD);
        for (int i = 0; i < 30; i++) {
            put(member("n6"), 17);
        }
        cluster.run(PERIOD);
        assertThat(groupsOf(17)).isEqualTo(4);
    }

    /** All who use the leaf would wait for the move, and the move for what waits for the dead group. */
    @Test
    void aLeafThatSomethingStuckWaitsForIsNotMoved() {
        startSix();
        cluster.run(PERIOD);
        for (int i = 0; i < 30; i++) {
            put(member("n4"), 17);
        }
        cluster.run(PERIOD);
        assertThat(groupsOf(17)).isEqualTo(4);
        use(member("n2"), 1, 60);
        List<GeoMember> dead = List.of(member("n4"), member("n5"));
        dead.forEach(cluster::crash);
        long stuck = ask(member("n1"), List.of(), List.of(2, 17));
        cluster.run(3 * PERIOD);
        assertThat(cluster.answers).doesNotContainKey(stuck);
        assertThat(groupsOf(1)).isEqualTo(1);
        assertThat(put(member("n1"), 1)).as("another key of the leaf").isLessThan(100);

        dead.forEach(cluster::boot);
        cluster.run(SECOND * 10);
        assertThat(cluster.answers).containsKey(stuck);
    }

    /** It has counted in another time, or not at all. */
    @Test
    void whoeverBeginsToDecideCountsForAPeriodFirst() {
        startThree();
        splitLeaves();
        cluster.run(PERIOD);
        for (int i = 0; i < 120; i++) {
            put(member("n2"), 17);
        }
        cluster.crash(member("n1"));
        cluster.run(PERIOD / 2);
        cluster.boot(member("n1"));
        cluster.run(PERIOD / 2 + 5 * SECOND);
        assertThat(groupsOf(17)).as("what was used before").isEqualTo(1);
        for (int round = 0; round < 2; round++) { // n2 was the one before, and tells anew how far it is from the groups
            for (int i = 0; i < 60; i++) {
                put(member("n2"), 17);
            }
            cluster.run(PERIOD);
        }
        assertThat(groupsOf(17)).isEqualTo(2);
    }

    @Test
    void aGroupWithOtherFoundersPlacesAsBefore() {
        GeoGroups groups = new GeoGroups(
                ThreeGroups.NODES, List.of(ThreeGroups.NODES), 1, node -> 0, new LogTiming(1, 10, 1, 30), PERIOD);
        List<NodeId> later = nodes("n4", "n5", "n6");
        assertThat(groups.founded(later, List.of(later)).placementPeriod()).isEqualTo(PERIOD);
    }

    @Test
    void whoeverLeadsTheNextGroupDecidesForADeadOne() {
        startThree();
        splitLeaves();
        cluster.crash(member("n1"));
        cluster.run(2 * PERIOD);
        GeoMember two = member("n2");
        GeoMember three = member("n3");
        for (int i = 0; i < 60; i++) {
            put(two, 17);
        }
        cluster.run(2 * PERIOD);
        assertThat(three.node.groupsOf(three.service.leafOf(17))).isEqualTo(2);
        assertThat(put(two, 17)).as("a round trip to n3").isBetween(90L, 92L);
    }
}
