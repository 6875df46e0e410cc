package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.protocol.Peer;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipProtocol;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens to entries when two clusters have one name: nodes 1 and 2 are the one, nodes 3 and 4 the other. */
class ClusterScenarioTest {
    private final Scenario scenario = Scenario.of(4);

    private SimulatedNode node(int number) {
        return scenario.outbox().hosts().get(number - 1).node();
    }

    private MembershipProtocol membership(int number) {
        return scenario.outbox().hosts().get(number - 1).membership();
    }

    private void assertCluster(int... numbers) {
        for (int number : numbers) {
            assertThat(membership(number).cluster().settled()).isTrue();
            assertThat(membership(number).cluster())
                    .isEqualTo(membership(numbers[0]).cluster());
            assertThat(membership(number).all()).as("peers of n" + number).hasSize(numbers.length - 1);
            for (Peer peer : membership(number).all()) {
                assertThat(numbers).contains(Integer.parseInt(peer.id().value().substring(1)));
            }
        }
    }

    /** Everything begins anew, in two clusters. */
    private void part() {
        scenario.crash(1, 2, 3, 4);
        for (int number = 1; number <= 4; number++) {
            scenario.loseStore(number);
            node(number).seeds(number <= 2 ? new String[] {"n1:1", "n2:1"} : new String[] {"n3:1", "n4:1"});
        }
        scenario.start(1, 2, 3, 4).passFailover();
        assertCluster(1, 2);
        assertCluster(3, 4);
    }

    @Test
    void entriesStayInTheirClusterUntilAnOperatorJoinsTheTwo() {
        part();
        History.Put here = scenario.put(1, 1);
        History.Put there = scenario.put(3, 1);
        assertThat(List.of(here.answer, there.answer)).containsOnly(History.Answer.STORED);

        scenario.crash(2);
        node(2).seeds("n1:1", "n3:1");
        scenario.start(2).passFailover();
        History.Put after = scenario.put(2, 1);
        scenario.crash(1).passFailover();

        assertThat(after.answer).isEqualTo(History.Answer.STORED);
        assertThat(scenario.holders(here)).containsExactly(2);
        assertThat(scenario.holders(there)).containsExactly(3);
        assertThat(scenario.copies(there)).containsExactly(4);
        assertThat(scenario.put(2, 1).answer)
                .as("no peer of its cluster is in reach")
                .isEqualTo(History.Answer.REJECTED);
        scenario.start(1).passFailover();
        assertCluster(1, 2);
        assertCluster(3, 4);

        node(2).command(MembershipProtocol.CHANNEL, new MembershipCommand.JoinClusterOf(node(3).id()));
        scenario.pass(Duration.ofSeconds(40));
        assertCluster(1, 2, 3, 4);
        scenario.settle();
        assertThat(scenario.forwarders(here)).hasSize(1);
        assertThat(scenario.forwarders(there)).hasSize(1);
    }
}
