package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Whole runs, each from one seed: {@code -Dgeorep.geo.seed=N} repeats one, {@code -Dgeorep.geo.runs=N} makes more of them. */
class GeoSimulationTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;

    /** What one run has seen. */
    private record Run(GeoCluster cluster) {}

    private static Run run(long seed, Supplier<Rules> rules) {
        GeoCluster cluster = new GeoCluster(seed, rules);
        Random random = new Random(seed ^ 0x5DEECE66DL);
        int trouble = random.nextInt(4);
        try {
            cluster.run(5 * SECOND);
            cluster.clients.begin(2 + random.nextInt(6));
            for (int step = 0; step < 40; step++) {
                cluster.run(random.nextInt(600) * GeoCluster.MILLI);
                disturb(cluster, random, trouble);
            }
            cluster.clients.rest();
            cluster.heal();
            cluster.members.values().forEach(member -> {
                if (!member.runs()) {
                    cluster.boot(member);
                }
            });
            for (int wait = 0; wait < 60 && (cluster.clients.waiting() > 0 || wait < 6); wait++) {
                cluster.run(SECOND);
            }
            assertThat(cluster.clients.waiting()).as("J11: clients that wait").isZero();
            cluster.run(5 * SECOND);
            cluster.judge.compareStates();
            return new Run(cluster);
        } catch (AssertionError | RuntimeException e) {
            if (Boolean.getBoolean("georep.geo.trace")) {
                System.out.println(cluster);
                for (int group = 0; group < cluster.founders.size(); group++) {
                    System.out.println("group " + group + cluster.judge.log(group));
                }
            }
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    private static void disturb(GeoCluster cluster, Random random, int trouble) {
        GeoMember one = cluster.any(random);
        GeoMember other = cluster.any(random);
        switch (random.nextInt(4 + 3 * trouble)) {
            case 0, 1 -> cluster.clients.move(one);
            case 2 -> {
                if (random.nextInt(3) == 0) {
                    cluster.clients.prune(one);
                }
            }
            case 3, 12 -> cluster.heal();
            case 4 -> cluster.breakLink(one.id, other.id);
            case 5, 6 -> cluster.bounce(one, 3000);
            case 7 -> cluster.hold(one.id, other.id, random.nextInt(3000) * GeoCluster.MILLI);
            case 8 -> isolate(cluster, one.id);
            case 9 -> {
                GeoMember leader = cluster.leader(random.nextInt(cluster.founders.size()));
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

    @Test
    void allPromisesHold() {
        long first = Long.getLong("georep.geo.seed", 1);
        long runs = Long.getLong("georep.geo.runs", System.getProperty("georep.geo.seed") == null ? 60 : 1);
        long answers = 0;
        long leased = 0;
        long uncovered = 0;
        long repeated = 0;
        long moved = 0;
        long passed = 0;
        for (long seed = first; seed < first + runs; seed++) {
            GeoCluster cluster = run(seed, Rules::new).cluster();
            answers += cluster.clients.answers;
            leased += cluster.judge.leased;
            uncovered += cluster.judge.uncovered;
            repeated += cluster.judge.repeated;
            moved += cluster.judge.moved;
            passed += cluster.judge.passed;
        }
        System.out.printf(
                "%d runs: %d answers, %d leased reads, %d uncovered, %d repeated, %d objects moved, %d passed others%n",
                runs, answers, leased, uncovered, repeated, moved, passed);
    }
}
