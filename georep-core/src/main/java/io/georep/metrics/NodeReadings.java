package io.georep.metrics;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.NodeStatistics;
import io.georep.PeerStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Figures of the node for meters. One scrape reads dozens of them, and each reading waits for a turn of the node, so
 * readings are shared for a second. Null while the node does not answer. Thread-safe.
 */
final class NodeReadings {
    private static final long SHARED_NANOS = 1_000_000_000;

    private final Shared<NodeStatistics> statistics;
    private final Shared<List<PeerStatus>> peers;

    /** Creates readings, of which none is taken yet. The consumers get every fresh reading, on any thread. */
    NodeReadings(
            Supplier<GeoRepNode> node, Consumer<List<PeerStatus>> peersRead, Consumer<NodeStatistics> statisticsRead) {
        statistics = new Shared<>(node, GeoRepNode::readStatistics, statisticsRead);
        peers = new Shared<>(node, GeoRepNode::readPeers, peersRead);
    }

    @Nullable
    NodeStatistics statistics() {
        return statistics.value();
    }

    /** Returns the last readings, also while the node does not answer; null if it never did. */
    @Nullable
    NodeStatistics lastStatistics() {
        return statistics.last;
    }

    @Nullable
    List<PeerStatus> peers() {
        return peers.value();
    }

    /** Reads everything anew, without waiting; one reading at a time, however often it is called. */
    void refresh() {
        statistics.refresh();
        peers.refresh();
    }

    private static final class Shared<V> {
        private final Supplier<GeoRepNode> node;
        private final Function<GeoRepNode, CompletionStage<V>> source;
        private final Consumer<V> onRead;
        private @Nullable V current;
        private volatile @Nullable V last;
        private long readAtNanos;
        private boolean read;

        /** How often a fresh value was asked for since the reading under way began. */
        private final AtomicInteger asked = new AtomicInteger();

        Shared(Supplier<GeoRepNode> node, Function<GeoRepNode, CompletionStage<V>> source, Consumer<V> onRead) {
            this.node = node;
            this.source = source;
            this.onRead = onRead;
        }

        /** Calls the consumers outside the lock, because they may read again. */
        @Nullable
        V value() {
            V fresh;
            synchronized (this) {
                long now = System.nanoTime();
                if (read && now - readAtNanos < SHARED_NANOS) {
                    return current;
                }
                fresh = ask();
                current = fresh;
                readAtNanos = System.nanoTime();
                read = true;
            }
            if (fresh != null) {
                tell(fresh);
            }
            return fresh;
        }

        /** Reads, one reading at a time. If this is called while a reading is under way, however often, one more follows. */
        void refresh() {
            if (asked.getAndIncrement() == 0) {
                read();
            }
        }

        private void read() {
            int answered = asked.get();
            var unused = fresh().whenComplete((fresh, error) -> {
                try {
                    if (fresh != null) {
                        tell(fresh);
                    }
                } finally {
                    if (asked.addAndGet(-answered) > 0) {
                        read();
                    }
                }
            });
        }

        private CompletionStage<@Nullable V> fresh() {
            try {
                GeoRepNode running = node.get();
                if (running.state() == NodeState.RUNNING) {
                    return source.apply(running).thenApply(fresh -> fresh);
                }
            } catch (Throwable e) {
                // There is no node yet, or no more. After an error, too, the next reading has to be possible.
            }
            return CompletableFuture.completedFuture(null);
        }

        private void tell(V fresh) {
            last = fresh;
            onRead.accept(fresh);
        }

        private @Nullable V ask() {
            try {
                GeoRepNode asked = node.get();
                if (asked.state() != NodeState.RUNNING || asked.onApplicationThread()) {
                    return null;
                }
                return source.apply(asked).toCompletableFuture().get(SHARED_NANOS, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            } catch (ExecutionException | TimeoutException | RuntimeException e) {
                return null;
            }
        }
    }
}
