package io.georep.spring.connect;

import io.georep.keys.KeySpaces;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.connector.ConnectorContext;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.SourceConnectorContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;
import org.jspecify.annotations.Nullable;

/** A source: it runs on one node at a time, unless its settings say on every node. For the thread of the connector. */
final class SourceKind implements ConnectorKind {
    private final HostParts host;
    private final ConnectorSettings settings;
    private final Plugins plugins;
    private final Class<? extends Connector> connector;
    private final SourceOffsets offsets;
    private final @Nullable SourceLease lease;
    private @Nullable CompletableFuture<Void> caughtUp;
    private long askedAtNanos;

    SourceKind(HostParts host, ConnectorSettings settings, Plugins plugins, Class<? extends Connector> connector) {
        this.host = host;
        this.settings = settings;
        this.plugins = plugins;
        this.connector = connector;
        this.lease = settings.onOneNode() ? new SourceLease(host, host.replicated(), settings.name()) : null;
        this.offsets = new SourceOffsets(
                host.replicated(),
                settings.name(),
                settings.onOneNode() ? null : host.node().identity().id().value());
    }

    @Override
    public boolean isSink() {
        return false;
    }

    @Override
    public Class<? extends Connector> connectorClass() {
        return connector;
    }

    @Override
    public ConnectorContext context(HostedConnector.PluginRequests requests, HostMetrics metrics) {
        return new Context(requests, metrics, offsets);
    }

    /** Returns whether this node knows what others have written while it was away. */
    @Override
    public boolean mayRunHere() throws Exception {
        CompletableFuture<Void> known = caughtUp;
        if (known == null) {
            known = host.node()
                    .service(KeySpaces.class)
                    .caughtUp(host.f() > 0 ? 1 : 0)
                    .toCompletableFuture();
            caughtUp = known;
            askedAtNanos = System.nanoTime();
        }
        if (known.isCompletedExceptionally()) {
            caughtUp = null;
            return false;
        }
        return known.isDone() && (lease == null || lease.held());
    }

    /** Nodes that are alive, but have no connectors, keep no offsets. */
    @Override
    public @Nullable String waitsFor() {
        CompletableFuture<Void> known = caughtUp;
        return known == null
                        || known.isDone()
                        || System.nanoTime() - askedAtNanos
                                < host.failoverAfter().toNanos()
                ? null
                : "the source waits for another node that knows its offset: all nodes need the same connectors in their"
                        + " settings";
    }

    @Override
    public void ended() {
        if (lease != null) {
            lease.giveBack();
        }
    }

    @Override
    public TaskGroup group(Class<? extends Task> taskClass, LongAdder failures) {
        return new SourceGroup(host, settings, plugins, connector, taskClass, failures, offsets);
    }

    private record Context(HostedConnector.PluginRequests requests, HostMetrics metrics, SourceOffsets offsets)
            implements SourceConnectorContext {
        @Override
        public void requestTaskReconfiguration() {
            requests.reconfigure();
        }

        @Override
        public void raiseError(Exception error) {
            requests.raise(error);
        }

        @Override
        public OffsetStorageReader offsetStorageReader() {
            return offsets;
        }

        @Override
        public PluginMetrics pluginMetrics() {
            return metrics;
        }
    }
}
