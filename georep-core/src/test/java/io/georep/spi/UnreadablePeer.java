package io.georep.spi;

import static org.awaitility.Awaitility.await;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A process that introduces itself as a node and sends what no node can read. */
public final class UnreadablePeer implements AutoCloseable {
    private final Transport transport;

    /** Dials the first node of a cluster and sends one frame. */
    public UnreadablePeer(LocalCluster cluster) {
        NodeId id = NodeId.of("stranger");
        NodeId first = LocalCluster.id(1);
        RecordingListener heard = new RecordingListener(new Object());
        transport = cluster.network()
                .transports()
                .create(new TransportFactory.Settings("georep", id, "local", 2001, null, 1 << 20));
        transport.start(new NodeIdentity(id, 1, 1, 1, "local:2001", ""), heard);
        transport.targets(Map.of(first, cluster.node(1).identity().address()), List.of());
        await().atMost(Duration.ofSeconds(30)).until(() -> heard.isUp(first));
        transport.send(first, new byte[] {99}, false);
    }

    @Override
    public void close() {
        transport.close();
    }
}
