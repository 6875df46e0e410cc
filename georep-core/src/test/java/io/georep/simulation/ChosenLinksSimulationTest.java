package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.core.OutboxEvent;
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

    private static RumourProtocol.View view(NodesWithGuest cluster, int at) {
        return ((RumourProtocol) cluster.guest(at)).view();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void rumoursCrossBetweenClustersThatKnowNothingOfEachOther(long seed) {
        NodesWithGuest cluster = new NodesWithGuest(seed, membership -> new RumourProtocol(RUMOURS, membership));
        World world = cluster.world;
        List<SimulatedNode> nodes = cluster.nodes;
        for (int i = 0; i < 6; i++) {
            cluster.start("n" + i, i < 3 ? "n0:1" : "n3:1");
        }
        world.run(5 * World.SECONDS);

        for (int i = 0; i < 5; i++) {
            nodes.get(i)
                    .command(RUMOURS, new RumourProtocol.Meet(nodes.get(i + 1).address()));
        }
        cluster.network.way("n0:1", "n1:1").cut(false);
        nodes.get(0).command(RUMOURS, new RumourProtocol.Tell("it rains"));
        cluster.put(1, 1);
        world.run(5 * World.SECONDS);
        assertThat(view(cluster, 1).rumours())
                .as("cut off, and nobody else knows of it")
                .isEmpty();
        cluster.network.way("n0:1", "n1:1").heal();
        world.run(2 * World.SECONDS);
        nodes.get(4).crash();
        world.run(5 * World.SECONDS);
        nodes.get(4).start();
        nodes.get(4).command(RUMOURS, new RumourProtocol.Meet("n0:1"));
        nodes.get(4).command(RUMOURS, new RumourProtocol.Tell("it pours"));
        world.run(20 * World.SECONDS);

        assertThat(cluster.told)
                .filteredOn(OutboxEvent.Stored.class::isInstance)
                .hasSize(1);
        for (int at = 0; at < 6; at++) {
            assertThat(view(cluster, at).rumours())
                    .as("known at n%s", at)
                    .containsExactlyInAnyOrder("it rains", "it pours");
            assertThat(view(cluster, at).up()).hasSizeLessThanOrEqualTo(RumourProtocol.LINKS);
            Membership membership = (Membership) nodes.get(at).protocols().membership();
            assertThat(membership.all()).as("peers of n%s", at).hasSize(2);
            assertThat(membership.strangers()).isEmpty();
        }
    }
}
