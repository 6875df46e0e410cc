package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.NodeStatistics;
import io.georep.PeerStatus;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Figures of the node for meters. One scrape reads dozens of gauges, and each reading waits for a turn of the node, so
 * readings are shared for a second. Null when the node does not answer. Thread-safe.
 */
final class NodeReadings {
    private static final long SHARED_NANOS = 1_000_000_000;

    private final Shared<NodeStatistics> statistics;
    private final Shared<List<PeerStatus>> peers;

    NodeReadings(GeoRepNode node) {
        statistics = new Shared<>(node, node::statistics);
        peers = new Shared<>(node, node::peers);
    }

    @Nullable
    NodeStatistics statistics() {
        return statistics.value();
    }

    @Nullable
    List<PeerStatus> peers() {
        return peers.value();
    }

    private static final class Shared<V> {
        private final GeoRepNode node;
        private final Supplier<V> source;
        private @Nullable V last;
        private long readAtNanos;
        private boolean read;

        Shared(GeoRepNode node, Supplier<V> source) {
            this.node = node;
            this.source = source;
        }

        synchronized @Nullable V value() {
            long now = System.nanoTime();
            if (!read || now - readAtNanos >= SHARED_NANOS) {
                try {
                    last = node.state() == NodeState.RUNNING ? source.get() : null;
                } catch (RuntimeException e) {
                    last = null;
                }
                readAtNanos = now;
                read = true;
            }
            return last;
        }
    }
}
