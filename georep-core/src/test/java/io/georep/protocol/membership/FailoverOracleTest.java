package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.membership.MembershipCluster.Disk;
import io.georep.protocol.membership.MembershipCluster.Process;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The paper's experiment on failover (section IV): four nodes own an entry in the order of their names, some are cut off,
 * and a node adopts when all owners before it are Terminated there. Case numbers are the paper's: the sum of 1, 2, 4 and 8
 * for the nodes that are cut off.
 */
class FailoverOracleTest {
    private static final int NODES = 4;

    /** Longer than two time-outs, which it takes until silence has spread to both sides. */
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(90);

    @ParameterizedTest(name = "case {0}: cut off both ways {1}, outgoing only {2}")
    @CsvSource({
        "0, -, -",
        "1, 2, 2",
        "3, 2+3, 2+3",
        "5, 2+3, 2",
        "7, 2+3+4, 2+3+4",
        "9, 2+4, 2",
        "11, 2+3+4, 2+3",
        "13, 2+3+4, 2",
        "15, 2+3+4, 2+3+4"
    })
    void nodesAdoptAsInTableFive(int blocked, String bothWays, String outgoing) {
        assertThat(adopters(blocked, true, false)).isEqualTo(bothWays);
        assertThat(adopters(blocked, false, false)).isEqualTo(outgoing);
        // The published step blocks outgoing frames only; its results need nodes that fall silent, or that want
        // answers.
        assertThat(adopters(blocked, false, true)).isEqualTo(bothWays);
    }

    private static String adopters(int blocked, boolean bothWays, boolean isSilentToTerminated) {
        MembershipCluster cluster = new MembershipCluster(blocked, ProtocolConfig.defaults());
        cluster.isSilentToTerminated = isSilentToTerminated;
        List<Process> nodes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            nodes.add(cluster.start("n" + i, "n" + i + ":1", new Disk(), "n0:1"));
        }
        cluster.run(Duration.ofSeconds(10));

        for (int i = 0; i < NODES; i++) {
            for (Process other : nodes) {
                if ((blocked & (1 << i)) != 0) {
                    cluster.block(nodes.get(i), other);
                    if (bothWays) {
                        cluster.block(other, nodes.get(i));
                    }
                }
            }
        }
        cluster.run(LONG_ENOUGH);

        StringJoiner adopters = new StringJoiner("+").setEmptyValue("-");
        for (int k = 1; k < NODES; k++) {
            Process node = nodes.get(k);
            boolean adopts = nodes.subList(0, k).stream()
                    .allMatch(before -> node.peer(before.id.value()).state() == PeerState.TERMINATED);
            if (adopts) {
                adopters.add(String.valueOf(k + 1));
            }
        }
        return adopters.toString();
    }
}
