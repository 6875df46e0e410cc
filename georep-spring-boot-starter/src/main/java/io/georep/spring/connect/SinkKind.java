package io.georep.spring.connect;

import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.connector.ConnectorContext;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnectorContext;

/** A sink: it runs on every node, for the entries that the node holds. */
record SinkKind(HostParts host, ConnectorSettings settings, Plugins plugins, Class<? extends Connector> connectorClass)
        implements ConnectorKind {
    @Override
    public boolean isSink() {
        return true;
    }

    @Override
    public ConnectorContext context(HostedConnector.PluginRequests requests, HostMetrics metrics) {
        return new Context(requests, metrics);
    }

    @Override
    public boolean mayRunHere() {
        return true;
    }

    @Override
    public TaskGroup group(Class<? extends Task> taskClass, LongAdder failures) {
        return new SinkGroup(host, settings, plugins, connectorClass, taskClass, failures);
    }

    private record Context(HostedConnector.PluginRequests requests, HostMetrics metrics)
            implements SinkConnectorContext {
        @Override
        public void requestTaskReconfiguration() {
            requests.reconfigure();
        }

        @Override
        public void raiseError(Exception error) {
            requests.raise(error);
        }

        @Override
        public PluginMetrics pluginMetrics() {
            return metrics;
        }
    }
}
