package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.execution.Rules;
import io.georep.model.Slice;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Which operations are asked for again after their object has moved, and by whom (A4, A5); and what groups cost that nobody uses. */
class AttemptsTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;
    private static final int[][] WAY = {{0, 75, 35}, {75, 0, 45}, {35, 45, 0}};
    private static final int READ = 2;
    private static final int WRITE = 3;

    private static GeoCluster cluster(Supplier<Rules> rules) {
        GeoCluster cluster =
                new GeoCluster(1, rules, ThreeGroups.of(ThreeGroups.NODES).founders(), WAY, 0);
        cluster.run(5 * SECOND);
        return cluster;
    }

    private static void submit(GeoCluster cluster, int site, long call, Slice body) {
        GeoMember contact = cluster.members.get(ThreeGroups.NODES.get(site));
        contact.turn(() -> contact.node.submit(call, 1, call, 0, body, contact.now()));
    }

    /** The first leaf goes from the first group to that one and the last. A far node asks for an operation before it knows. */
    private static GeoCluster moved(Supplier<Rules> rules, long call, Slice body) {
        GeoCluster cluster = cluster(rules);
        GeoMember leader = cluster.members.get(ThreeGroups.NODES.get(0));
        GeoMember far = cluster.members.get(ThreeGroups.NODES.get(1));
        leader.turn(() -> leader.node.move(1, new long[] {LeafService.FIRST_LEAF}, 0b001, 0b101, leader.now()));
        while (leader.node.groupsOf(LeafService.FIRST_LEAF) != 0b101) {
            cluster.run(GeoCluster.MILLI);
        }
        assertThat(far.node.groupsOf(LeafService.FIRST_LEAF)).isEqualTo(0b001);
        submit(cluster, 1, call, body);
        cluster.run(5 * SECOND);
        assertThat(cluster.answers).containsKey(call);
        return cluster;
    }

    private static long attempts(GeoCluster cluster, long call) {
        return cluster.judge
                .log(0)
                .lines()
                .filter(line -> line.contains("sequence=" + call + ","))
                .count();
    }

    /** One of the groups of an object is enough to read it, the nearest or not. */
    @Test
    void aReadIsExecutedThoughANearerGroupHasComeMeanwhile() {
        Slice read = LeafService.use(READ, List.of(0), List.of());
        assertThat(moved(Rules::new, READ, read).judge.uncovered).isZero();

        Supplier<Rules> nearestOnly = () -> new Rules() {
            @Override
            public boolean covers(int groups, int ofObject, boolean write) {
                return super.covers(groups, write ? ofObject : Integer.highestOneBit(ofObject), write);
            }
        };
        assertThat(moved(nearestOnly, READ, read).judge.uncovered).as("A4").isPositive();
    }

    @Test
    void onlyWhoWasAskedAsksAgain() {
        GeoCluster cluster = moved(Rules::new, WRITE, LeafService.use(WRITE, List.of(), List.of(0)));

        assertThat(cluster.judge.uncovered).as("at each node").isEqualTo(3);
        assertThat(attempts(cluster, WRITE)).isEqualTo(2);
    }

    /** More than a log has under way at once is asked for in one moment: the rest follows with the next round, not when it is asked for again. */
    @Test
    void whatALogHasNoRoomForIsOrderedAsSoonAsThereIsSome() {
        GeoCluster cluster = cluster(Rules::new);
        int calls = 5_000;
        GeoMember leader = cluster.members.get(ThreeGroups.NODES.get(0));
        leader.node.rules().pinnedMax = calls;
        leader.turn(() -> {
            for (long call = 1; call <= calls; call++) {
                Slice body = LeafService.use(call, List.of(), List.of((int) call % LeafService.KEYS));
                leader.node.submit(call, call, 1, 0, body, leader.now());
            }
        });
        cluster.run(2 * 70 * GeoCluster.MILLI + 5 * GeoCluster.MILLI);

        assertThat(cluster.answers).hasSize(calls);
    }

    @Test
    void aGroupThatNobodyUsesCostsItsHeartbeatsOnly() {
        GeoCluster cluster = cluster(Rules::new);
        cluster.run(5 * SECOND);
        long sent = cluster.members.values().stream()
                .mapToLong(member -> member.sent)
                .sum();
        long stored = cluster.members.values().stream()
                .mapToLong(member -> member.stored)
                .sum();
        cluster.run(10 * SECOND);

        long beats = 10 * SECOND / cluster.timing.heartbeat();
        long others = 2L * cluster.founders.size();
        assertThat(cluster.members.values().stream()
                                .mapToLong(member -> member.sent)
                                .sum()
                        - sent)
                .as("one to each other voter, and its answer")
                .isBetween(beats * others, 2 * (beats + 1) * others);
        assertThat(cluster.members.values().stream()
                        .mapToLong(member -> member.stored)
                        .sum())
                .isEqualTo(stored);
    }
}
