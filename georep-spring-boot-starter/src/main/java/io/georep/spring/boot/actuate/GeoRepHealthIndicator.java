package io.georep.spring.boot.actuate;

import io.georep.ClusterStatus;
import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.NodeStatistics;
import io.georep.PeerStatus;
import io.georep.model.PeerState;
import io.georep.netty.MutualTls;
import io.georep.outbox.OutboxActivity;
import io.georep.spring.Outboxes;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up while f+1 copies of a new entry can be made now; out of service while they cannot, although the node runs and
 * forwards what it has, or while a callback keeps all sends from being answered; down when the node does not run.
 */
final class GeoRepHealthIndicator extends AbstractHealthIndicator {
    private final GeoRepNode node;
    private final Outboxes outboxes;
    private final ReadinessTarget target;
    private final @Nullable MutualTls tls;

    GeoRepHealthIndicator(GeoRepNode node, Outboxes outboxes, ReadinessTarget target, @Nullable MutualTls tls) {
        super("GeoRep node does not answer");
        this.node = node;
        this.outboxes = outboxes;
        this.target = target;
        this.tls = tls;
    }

    /** Returns what the states of the protocol mean, of those that are there. */
    private static Map<String, String> meanings(Set<String> states) {
        Map<String, String> meanings = new TreeMap<>();
        states.forEach(state -> meanings.put(state, meaning(PeerState.valueOf(state))));
        return meanings;
    }

    private static String meaning(PeerState state) {
        return switch (state) {
            case PROSPECT -> "known by name, not heard yet";
            case ACTIVE -> "in touch";
            case SCHRODINGER -> "silent: gets no new copies";
            case TERMINATED -> "given up: its entries are adopted";
            case ARNOLD -> "said goodbye and will be back: nobody adopts its entries before";
        };
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
        boolean answers = statistics.protocols().values().stream().anyMatch(OutboxActivity.class::isInstance);
        boolean ready = answers && node.ready(f);
        if (!answers) {
            builder.withDetail("reason", "no send is answered: a callback of the outboxes may be stuck");
        } else if (!ready) {
            builder.withDetail(
                    "reason",
                    "of f = " + f + " copies only " + selectable + " can be made now, or the store takes nothing new:"
                            + " sends are refused, nothing is lost");
        }
        builder.status(ready ? "UP" : "OUT_OF_SERVICE")
                .withDetail("f", f)
                .withDetail("peersSelectable", selectable)
                .withDetail("peers", peers)
                .withDetail("peerStates", meanings(peers.keySet()))
                .withDetail("cluster", cluster.id())
                .withDetail("clusterWaitsFor", cluster.waitsFor())
                .withDetail("peersForeign", foreign)
                .withDetail("store", statistics.store().name());
        String tlsProblem = tls == null ? null : tls.problem();
        if (tlsProblem != null) {
            builder.withDetail("tlsProblem", tlsProblem);
        }
        statistics.protocols().values().forEach(protocol -> protocol.summary().forEach(builder::withDetail));
    }
}
