package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.execution.Planted;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Whole runs, each from one seed: {@code -Dgeorep.geo.seed=N} repeats one, {@code -Dgeorep.geo.runs=N} makes more of them. */
class GeoSimulationTest {
    private static final int RUNS = 180;
    private static final long SECOND = 1000 * GeoCluster.MILLI;

    private static GeoCluster run(long seed, Supplier<Rules> rules) {
        return run(new GeoCluster(seed, rules), seed);
    }

    private static GeoCluster run(GeoCluster cluster, long seed) {
        Random random = new Random(seed * 7919 + 17);
        Random apart = new Random(seed * 6_700_417 + 5);
        int trouble = random.nextInt(4);
        GeoOperator operator = new GeoOperator(cluster, new Random(seed * 104_729 + 3));
        try {
            cluster.runUntil(cluster::isLed, 5 * SECOND);
            cluster.clients.begin(2 + random.nextInt(6));
            cluster.streams.begin((int) (seed % 3));
            for (int step = 0; step < 40; step++) {
                cluster.run(random.nextInt(600) * GeoCluster.MILLI);
                disturb(cluster, random, trouble);
                if (trouble > 0 && apart.nextInt(10) == 0) {
                    part(cluster, apart);
                }
                operator.acts();
                cluster.losses.acts();
            }
            cluster.losses.strikes();
            cluster.clients.rest();
            cluster.streams.rest();
            cluster.heal();
            cluster.bootAll();
            cluster.run(3 * SECOND);
            cluster.runUntil(() -> !isWaiting(cluster), 57 * SECOND);
            operator.ends();
            assertThat(isWaiting(cluster)).as("J11: clients wait").isFalse();
            cluster.run(SECOND);
            cluster.runUntil(cluster::isEven, 4 * SECOND);
            cluster.compareStates();
            cluster.layout()
                    .nodes()
                    .forEach(id -> assertThat(cluster.members.get(id).node.underWay())
                            .as("attempts of %s that wait", id)
                            .isZero());
            cluster.losses.ends();
            return cluster;
        } catch (AssertionError | RuntimeException e) {
            if (Boolean.getBoolean("georep.geo.trace")) {
                System.out.println(cluster);
                for (int group = 0; group < cluster.judge.groups(); group++) {
                    System.out.println("group " + group + cluster.judge.log(group));
                }
            }
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    private static boolean isWaiting(GeoCluster cluster) {
        return cluster.clients.waiting() + cluster.streams.waiting() > 0;
    }

    private static void disturb(GeoCluster cluster, Random random, int trouble) {
        GeoMember one = cluster.any(random);
        GeoMember other = cluster.any(random);
        switch (random.nextInt(4 + 3 * trouble)) {
            case 0, 1, 2 -> cluster.clients.move(one);
            case 3, 12 -> cluster.heal();
            case 4 -> cluster.breakLink(one.id, other.id);
            case 5, 6 -> cluster.bounce(one, 3000);
            case 7 -> cluster.hold(one.id, other.id, random.nextInt(3000) * GeoCluster.MILLI);
            case 8 -> {
                isolate(cluster, one.id);
                cluster.run(random.nextInt(6000) * GeoCluster.MILLI);
            }
            case 9 -> {
                GeoMember leader = cluster.leader(random.nextInt(cluster.judge.groups()));
                if (leader != null) {
                    cluster.bounce(leader, 100);
                }
            }
            default -> {
                if (!one.equals(other)) {
                    cluster.cut(one.id, other.id);
                }
            }
        }
    }

    private static void isolate(GeoCluster cluster, NodeId node) {
        for (NodeId other : cluster.members.keySet()) {
            if (!other.equals(node)) {
                cluster.cut(node, other);
                cluster.cut(other, node);
            }
        }
    }

    /**
     * The leader of a key and a node beside it are cut off from all others, which elect another leader: that node reads what they write.
     */
    private static void part(GeoCluster cluster, Random random) {
        int key = random.nextInt(LeafService.KEYS);
        GeoMember one = cluster.any(random);
        GeoMember leader = one.runs()
                ? cluster.leader(Integer.numberOfTrailingZeros(one.node.groupsOf(one.service.leafOf(key))))
                : null;
        List<GeoMember> others = cluster.members.values().stream()
                .filter(each -> each != one && each != leader)
                .toList();
        if (leader == null || others.isEmpty()) {
            return;
        }
        for (GeoMember other : others) {
            for (GeoMember each : List.of(leader, one)) {
                cluster.cut(each.id, other.id);
                cluster.cut(other.id, each.id);
            }
        }
        for (int left = random.nextInt(40); left > 0; left--) {
            cluster.clients.look(key, one, others.get(random.nextInt(others.size())));
            cluster.run(100 * GeoCluster.MILLI);
        }
        if (random.nextBoolean()) {
            cluster.heal();
        }
    }

    @Test
    void allPromisesHold() {
        long first = Long.getLong("georep.geo.seed", 1);
        long runs = Long.getLong("georep.geo.runs", System.getProperty("georep.geo.seed") == null ? RUNS : 1);
        TreeMap<String, Long> seen = new TreeMap<>();
        for (long seed = first; seed < first + runs; seed++) {
            GeoCluster cluster = run(seed, Rules::new);
            GeoJudge<LeafService> judge = cluster.judge;
            seen.merge("answers", cluster.clients.answers, Long::sum);
            seen.merge("answers to streams", cluster.streams.answers, Long::sum);
            seen.merge("leased reads", judge.leased, Long::sum);
            seen.merge("uncovered", judge.uncovered, Long::sum);
            seen.merge("repeated", judge.repeated, Long::sum);
            seen.merge("forgotten", judge.forgotten, Long::sum);
            seen.merge("objects moved", judge.moved, Long::sum);
            seen.merge("executed before earlier ones", judge.passed, Long::sum);
            seen.merge("snapshots taken over", judge.restored, Long::sum);
            seen.merge("changes of the nodes", cluster.layout().version(), Long::sum);
            seen.merge("stores lost", cluster.losses.stores, Long::sum);
            seen.merge("stores lost while seats changed", cluster.losses.inChanges, Long::sum);
            seen.merge("groups restored", cluster.losses.restored, Long::sum);
            seen.merge("slots kept that one of those left had voted for", judge.saved(), Long::sum);
            seen.merge("nodes back after that", cluster.losses.back, Long::sum);
            seen.merge("of these, left behind", cluster.losses.leftBehind, Long::sum);
            seen.merge("groups lost", cluster.losses.groups, Long::sum);
            seen.merge("groups added", cluster.judge.groups() - 3L, Long::sum);
            seen.merge("runs in which these got objects", cluster.judge.places >> 3 == 0 ? 0L : 1, Long::sum);
            seen.merge("leaves", (long) judge.single().leaves(), Long::sum);
            cluster.members.values().forEach(member -> seen.merge("boots", (long) member.boots, Long::sum));
        }
        System.out.println(runs + " runs: " + seen);
        assertThat(seen.values()).as("%s", seen).allMatch(count -> runs < RUNS || count >= 10);
    }

    /** Each of these errors is noticed; {@code -Dgeorep.geo.error=NAME} plants one only. */
    @Test
    void plantedErrorsAreNoticed() {
        List<Planted> unnoticed = new ArrayList<>();
        // These take a store that is lost, processes that boot one after the other, and threads beside the driver: the
        // simulator of all wings has them.
        for (Planted error : EnumSet.complementOf(EnumSet.of(
                Planted.FORGETS_ALONE,
                Planted.NEXT_INCARNATION,
                Planted.CALLERS_TRUST_THE_LAST_TURN,
                Planted.CALLERS_PASS_WRITES,
                Planted.CALLERS_PASS_PROPOSALS))) {
            if (System.getProperty("georep.geo.error", error.name()).equals(error.name())
                    && !isNoticed(error, seed -> new GeoCluster(seed, error.rules))) {
                unnoticed.add(error);
            }
        }
        assertThat(unnoticed).isEmpty();
    }

    /** A5: a write without a number takes effect as often as somebody asks for it. */
    @Test
    void thatEverybodyAsksAgainIsNoticed() {
        assertThat(isNoticed("A5", seed -> {
                    GeoCluster cluster = new GeoCluster(seed, Rules::new);
                    cluster.everybodyAsksAgain = true;
                    cluster.members.values().forEach(member -> cluster.bounce(member, 1));
                    return cluster;
                }))
                .isTrue();
    }

    /** Most lives notice most errors. The one that is rarely noticed begins shortly before a life that does. */
    private static boolean isNoticed(Object error, LongFunction<GeoCluster> world) {
        long first = error == Planted.ANSWERS_WITHOUT_LEASE ? 80 : 1;
        for (long seed = first; seed < first + 500; seed++) {
            try {
                run(world.apply(seed), seed);
            } catch (AssertionError noticed) {
                System.out.println(error + ", seed " + seed + ": "
                        + noticed.getMessage().lines().limit(2).toList());
                return true;
            }
        }
        return false;
    }
}
