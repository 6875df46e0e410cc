package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.metrics.GeoRepMetrics;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.RecordingListener;
import io.georep.spi.Transport;
import io.georep.spi.TransportFactory;
import io.georep.testing.LocalCluster;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer whose frames cannot be read: the node lives and counts. */
@Timeout(60)
class FrameRefusalTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void aFrameThatCannotBeReadIsCounted() {
        try (LocalCluster cluster = LocalCluster.start(1)) {
            GeoRepNode node = cluster.node(1);
            NodeId id = NodeId.of("stranger");
            RecordingListener heard = new RecordingListener(new Object());
            Transport peer = cluster.network()
                    .transports()
                    .create(new TransportFactory.Settings("georep", id, "local", 2001, null, 1 << 20));
            peer.start(new NodeIdentity(id, 1, 1, 1, "local:2001", ""), heard);
            peer.targets(Map.of(LocalCluster.id(1), node.identity().address()), List.of());
            await().atMost(LONG).until(() -> heard.isUp(LocalCluster.id(1)));
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new GeoRepMetrics(node).bindTo(registry);

            peer.send(LocalCluster.id(1), new byte[] {99}, false);

            await().atMost(LONG).until(() -> node.statistics().framesRefused() == 1);
            await().atMost(LONG)
                    .until(() -> registry.get("georep.frames.refused")
                                    .functionCounter()
                                    .count()
                            == 1);
            assertThat(node.state()).isEqualTo(NodeState.RUNNING);
            peer.close();
        }
    }
}
