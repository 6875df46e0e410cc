package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.spi.UnreadablePeer;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer whose frames cannot be read: the node lives and counts. */
@Timeout(60)
class FrameRefusalTest {
    @Test
    void aFrameThatCannotBeReadIsCounted() {
        try (LocalCluster cluster = LocalCluster.start(1)) {
            GeoRepNode node = cluster.node(1);
            try (UnreadablePeer peer = new UnreadablePeer(cluster)) {
                assertThat(peer).isNotNull();
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> node.statistics().framesRefused() == 1);
            }
            assertThat(node.state()).isEqualTo(NodeState.RUNNING);
        }
    }
}
