package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.keys.KeySpaceSettings;
import io.georep.keys.core.KeyProtocol;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.Membership;
import io.georep.runtime.FrameIntake;
import io.georep.tally.TallyProtocol;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two protocols of the same number and different names: each node counts for the other as one that does not host its own. */
class SameNumberTest {
    private static final int CHANNEL = KeyProtocol.CHANNEL;
    private static final int SENDS = 40;

    private final Guest guest = new Guest(membership -> List.of()) {
        @Override
        public List<? extends HostedProtocol<?>> install(NodeSoftware.Boot boot, Membership membership) {
            return List.of(
                    boot.id().value().equals("n1")
                            ? new TallyProtocol(CHANNEL, membership)
                            : new KeyProtocol(KeySpaceSettings.defaults(), membership));
        }
    };

    @Test
    void neitherIsSentToTheOtherAndTheOutboxWorksBetweenThem() {
        SimulatedCluster cluster = guest.besideOutboxes(1, 2).start();
        OutboxWing outbox = cluster.wing(OutboxWing.class);

        cluster.node(1).command(CHANNEL, new TallyProtocol.Add(List.of("add")));
        for (int i = 0; i < SENDS; i++) {
            outbox.put(outbox.hosts().get(i % 2), 1);
            cluster.pass(0.25);
        }
        cluster.pass(10);

        assertThat(guest.told).noneMatch(FrameIntake.Refused.class::isInstance);
        assertThat(outbox.successes()).isEqualTo(SENDS);
        for (SimulatedNode node : cluster.nodes()) {
            assertThat(node.protocols().membership().all())
                    .extracting(peer -> peer.version(CHANNEL))
                    .containsExactly(0);
        }
    }
}
