package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.keys.KeySpaceSettings;
import io.georep.keys.core.KeyProtocol;
import io.georep.outbox.core.OutboxEvent;
import io.georep.runtime.FrameIntake;
import io.georep.tally.TallyProtocol;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two protocols of the same number and different names: each node counts for the other as one that does not host its own. */
class SameNumberTest {
    private static final int CHANNEL = KeyProtocol.CHANNEL;
    private static final int SENDS = 40;

    private final NodesWithGuest cluster = new NodesWithGuest(1, membership -> new TallyProtocol(CHANNEL, membership));

    @Test
    void neitherIsSentToTheOtherAndTheOutboxWorksBetweenThem() {
        cluster.start("n1", "n2:1");
        cluster.guest(membership -> new KeyProtocol(KeySpaceSettings.defaults(), membership));
        cluster.start("n2", "n1:1");
        cluster.world.run(5 * World.SECONDS);

        cluster.nodes.get(0).command(CHANNEL, new TallyProtocol.Add(List.of("add")));
        for (int i = 0; i < SENDS; i++) {
            cluster.put(i % 2, 1);
            cluster.world.run(World.SECONDS / 4);
        }
        cluster.world.run(10 * World.SECONDS);

        assertThat(cluster.told).noneMatch(FrameIntake.Refused.class::isInstance);
        assertThat(cluster.told)
                .filteredOn(OutboxEvent.Stored.class::isInstance)
                .hasSize(SENDS);
        for (SimulatedNode node : cluster.nodes) {
            assertThat(node.protocols().membership().all())
                    .extracting(peer -> peer.version(CHANNEL))
                    .containsExactly(0);
        }
    }
}
