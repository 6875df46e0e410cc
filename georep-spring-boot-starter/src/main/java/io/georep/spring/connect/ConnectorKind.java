package io.georep.spring.connect;

import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.connector.ConnectorContext;
import org.apache.kafka.connect.connector.Task;
import org.jspecify.annotations.Nullable;

/** The differences between sinks and sources. */
interface ConnectorKind {
    boolean isSink();

    Class<? extends Connector> connectorClass();

    ConnectorContext context(HostedConnector.PluginRequests requests, HostMetrics metrics);

    /** Returns whether it may run on this node now. May wait for the node. */
    boolean mayRunHere() throws Exception;

    /** Returns why it may not run on this node yet, if an operator should know; null for nothing. */
    default @Nullable String waitsFor() {
        return null;
    }

    /**
     * Called when it has ended because the application stops. A source that an operator has stopped stays with this
     * node.
     */
    default void ended() {}

    /**
     * Returns tasks of this class, not started.
     *
     * @param failures counts each failure of one of them
     */
    TaskGroup group(Class<? extends Task> taskClass, LongAdder failures);
}
