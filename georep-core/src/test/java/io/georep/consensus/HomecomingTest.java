package io.georep.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import org.junit.jupiter.api.Test;

/** The lead goes home. */
class HomecomingTest {
    private static final long SECOND = 1_000 * LogCluster.MILLI;
    private static final NodeId N1 = NodeId.of("n1");

    /** One that is left behind only votes, until somebody empties it. */
    @Test
    void aHomeThatDoesNotTakeTheLeadIsOfferedItLessAndLessOften() {
        LogCluster cluster = ReplicatedLogTest.founded(1);
        cluster.members.get(N1).log.abstain();
        cluster.run(20 * SECOND);
        int without = 0;
        for (int i = 0; i < 3000; i++) {
            cluster.run(SECOND / 10);
            without += cluster.leader() == null ? 1 : 0;
        }

        assertThat(without).as("tenths of a second of 300 s without a leader").isLessThan(300);
        cluster.bounce(cluster.members.get(N1));
        cluster.run(400 * SECOND);
        assertThat(cluster.leader().id).isEqualTo(N1);
    }
}
