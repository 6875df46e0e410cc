package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.protocol.membership.Membership;
import io.georep.rumour.RumourProtocol;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two clusters of three whose nodes are peers, with an outbox, and an epidemic that crosses from one to the other over links
 * of its own, through crashes, cuts and broken ways.
 */
class ChosenLinksSimulationTest {
    private static final int RUMOURS = 9;

    private static RumourProtocol.View view(SimulatedNode node) {
        return Machines.protocol(node, RumourProtocol.class).view();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void rumoursCrossBetweenClustersThatKnowNothingOfEachOther(long seed) {
        SimulatedCluster cluster =
                new Guest(membership -> List.of(new RumourProtocol(RUMOURS, membership))).besideOutboxes(seed, 6);
        OutboxWing outbox = cluster.wing(OutboxWing.class);
        List<SimulatedNode> nodes = cluster.nodes();
        nodes.forEach(node -> node.seeds(nodes.indexOf(node) < 3 ? "n1:1" : "n4:1"));
        cluster.start();

        for (int i = 0; i < 5; i++) {
            nodes.get(i)
                    .command(RUMOURS, new RumourProtocol.Meet(nodes.get(i + 1).address()));
        }
        cluster.way(1, 2).cut(false);
        nodes.get(0).command(RUMOURS, new RumourProtocol.Tell("it rains"));
        History.Put put = outbox.put(outbox.hosts().get(1), 1);
        cluster.pass(5);
        assertThat(view(nodes.get(1)).rumours())
                .as("cut off, and nobody else knows of it")
                .isEmpty();
        cluster.way(1, 2).heal();
        cluster.pass(2);
        nodes.get(4).crash();
        cluster.pass(5);
        nodes.get(4).start();
        nodes.get(4).command(RUMOURS, new RumourProtocol.Meet("n1:1"));
        nodes.get(4).command(RUMOURS, new RumourProtocol.Tell("it pours"));
        cluster.pass(20);

        assertThat(put.answer).isEqualTo(History.Answer.STORED);
        for (SimulatedNode node : nodes) {
            assertThat(view(node).rumours()).as("known at %s", node).containsExactlyInAnyOrder("it rains", "it pours");
            assertThat(view(node).up()).hasSizeLessThanOrEqualTo(RumourProtocol.LINKS);
            Membership membership = (Membership) node.protocols().membership();
            assertThat(membership.all()).as("peers of %s", node).hasSize(2);
            assertThat(membership.strangers()).isEmpty();
        }
    }
}
