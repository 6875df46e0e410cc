package io.georep.spring.boot.actuate;

import io.georep.ClusterStatus;
import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.NodeStatistics;
import io.georep.PeerStatus;
import io.georep.spring.Outboxes;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up while f+1 copies of a new entry can be made now; out of service while they cannot, although the node runs and
 * forwards what it has; down when the node does not run.
 */
final class GeoRepHealthIndicator extends AbstractHealthIndicator {
    private final GeoRepNode node;
    private final Outboxes outboxes;
    private final ReadinessTarget target;

    GeoRepHealthIndicator(GeoRepNode node, Outboxes outboxes, ReadinessTarget target) {
        super("GeoRep node does not answer");
        this.node = node;
        this.outboxes = outboxes;
        this.target = target;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        builder.withDetail("node", node.identity().id().value());
        NodeState state = node.state();
        builder.withDetail("state", state.name());
        if (state != NodeState.RUNNING) {
            Throwable failure = node.failure();
            if (failure == null) {
                builder.outOfService();
            } else {
                builder.down(failure);
            }
            return;
        }
        int f = target.copies(outboxes);
        Map<String, Integer> peers = new TreeMap<>();
        long selectable = 0;
        long foreign = 0;
        for (PeerStatus peer : node.peers()) {
            peers.merge(peer.state().name(), 1, Integer::sum);
            selectable += peer.selectable() ? 1 : 0;
            foreign += peer.foreign() ? 1 : 0;
        }
        NodeStatistics statistics = node.statistics();
        ClusterStatus cluster = node.cluster();
        builder.status(node.ready(f) ? "UP" : "OUT_OF_SERVICE")
                .withDetail("f", f)
                .withDetail("peersSelectable", selectable)
                .withDetail("peers", peers)
                .withDetail("cluster", cluster.id())
                .withDetail("clusterWaitsFor", cluster.waitsFor())
                .withDetail("peersForeign", foreign)
                .withDetail("store", statistics.store().name());
        statistics.protocols().values().forEach(protocol -> protocol.summary().forEach(builder::withDetail));
    }
}
