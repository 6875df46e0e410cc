package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.NodeStatistics;
import io.georep.PeerStatus;
import java.util.List;
import java.util.function.Consumer;
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

    /**
     * Nothing is read yet.
     *
     * @param peersRead gets every fresh reading of the peers, on the thread that asked
     */
    NodeReadings(GeoRepNode node, Consumer<List<PeerStatus>> peersRead) {
        statistics = new Shared<>(node, node::statistics, ignored -> {});
        peers = new Shared<>(node, node::peers, peersRead);
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
        private final Consumer<V> onRead;
        private @Nullable V last;
        private long readAtNanos;
        private boolean read;

        Shared(GeoRepNode node, Supplier<V> source, Consumer<V> onRead) {
            this.node = node;
            this.source = source;
            this.onRead = onRead;
        }

        /** Outside the lock it is told, because others may ask from there. */
        @Nullable
        V value() {
            V fresh;
            synchronized (this) {
                long now = System.nanoTime();
                if (read && now - readAtNanos < SHARED_NANOS) {
                    return last;
                }
                fresh = ask();
                last = fresh;
                readAtNanos = now;
                read = true;
            }
            if (fresh != null) {
                onRead.accept(fresh);
            }
            return fresh;
        }

        private @Nullable V ask() {
            try {
                return node.state() == NodeState.RUNNING ? source.get() : null;
            } catch (RuntimeException e) {
                return null;
            }
        }
    }
}
