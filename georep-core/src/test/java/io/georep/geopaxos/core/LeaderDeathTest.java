package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.execution.Rules;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The leader of a group dies while others wait for it. */
class LeaderDeathTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;
    private static final long END = 60 * SECOND;
    private static final int RUNS = 30;
    private static final int ASKED = 8;

    /** Returns how long after another node leads the last operation is answered that was asked before, in milliseconds. */
    private static long waited(long seed) {
        GeoCluster cluster = new GeoCluster(
                seed, Rules::new, ThreeGroups.of(ThreeGroups.NODES).founders());
        cluster.run(10 * SECOND);
        cluster.crash(cluster.leader(0));
        List<GeoMember> left =
                cluster.members.values().stream().filter(GeoMember::runs).toList();
        for (long call = 1; call <= ASKED; call++) {
            long number = call;
            GeoMember contact = left.get((int) call % left.size());
            var body = LeafService.use(call, List.of(), List.of((int) call));
            contact.turn(() -> contact.node.submit(number, 1, number, 0, body, contact.now()));
            cluster.run(SECOND / 10);
        }
        while (cluster.leader(0) == null && cluster.now < END) {
            cluster.run(SECOND / 100);
        }
        long from = cluster.now;
        while (cluster.answers.size() < ASKED && cluster.now < END) {
            cluster.run(SECOND / 100);
        }
        assertThat(cluster.answers).as("seed %d", seed).hasSize(ASKED);
        return (cluster.now - from) / GeoCluster.MILLI;
    }

    @Test
    void whoWaitsAsksTheNewLeaderAtOnce() {
        List<Long> waits = new ArrayList<>();
        for (long seed = 1; seed <= RUNS; seed++) {
            waits.add(waited(seed));
        }
        waits.sort(null);

        // A few times there and back over slow links, and not the rest of a lease of a second.
        assertThat(waits.get(RUNS * 9 / 10)).as("of nine in ten: %s", waits).isLessThan(600);
    }
}
