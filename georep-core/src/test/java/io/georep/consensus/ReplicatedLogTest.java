package io.georep.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicatedLogTest {
    private static final long SECOND = 1_000 * LogCluster.MILLI;
    private static final long FIRST = 1;
    private static final int RUNS = Integer.getInteger("runs", 100);

    @Test
    void aGroupElectsItsHomeAndDecides() {
        LogCluster cluster = new LogCluster(1, 3);
        cluster.run(10 * SECOND);
        cluster.propose("a");
        cluster.run(SECOND);

        assertThat(cluster.leader().id).isEqualTo(NodeId.of("n1"));
        assertThat(cluster.members.values())
                .allSatisfy(member -> assertThat(member.log.decided()).isEqualTo(2));
    }

    /** Whole lives, drawn: {@code -Dseed=} runs one of them. */
    @Test
    void allAgreeWhateverHappens() {
        long only = Long.getLong("seed", 0);
        for (long seed = only == 0 ? FIRST : only; seed < (only == 0 ? FIRST + RUNS : only + 1); seed++) {
            try {
                live(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    private static void live(long seed) {
        LogCluster cluster = new LogCluster(seed, 1 + (int) (seed % 5));
        LogNemesis nemesis = new LogNemesis(cluster);
        for (int i = 0; i < 200; i++) {
            cluster.run(cluster.random.nextInt(800) * LogCluster.MILLI);
            for (int j = cluster.random.nextInt(4); j > 0; j--) {
                cluster.propose(i + "." + j);
            }
            nemesis.act();
        }
        nemesis.endAll();
        cluster.run(60 * SECOND);
        cluster.propose("last");
        cluster.run(5 * SECOND);

        assertThat(cluster.leader()).as("a leader of %s", cluster).isNotNull();
        long decided = cluster.leader().log.decided();
        assertThat(new String(cluster.agreed.get(decided).body().toArray(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("last");
        List<NodeId> seated = new ArrayList<>();
        cluster.leader().log.seats().list().forEach(seat -> seated.add(seat.node()));
        for (NodeId id : seated) {
            LogMember member = cluster.members.get(id);
            assertThat(member.log.decided()).as("%s", id).isEqualTo(decided);
            assertThat(member.executed.equals(cluster.agreed))
                    .as("%s executed all", id)
                    .isTrue();
            assertThat(cluster.leader().log.seats().has(new Seat(id, member.disk.number)))
                    .isTrue();
        }
    }
}
