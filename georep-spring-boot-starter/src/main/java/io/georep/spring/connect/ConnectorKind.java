package io.georep.spring.connect;

import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.connector.ConnectorContext;
import org.apache.kafka.connect.connector.Task;
import org.jspecify.annotations.Nullable;

/** What differs between sinks and sources. */
interface ConnectorKind {
    boolean isSink();

    Class<? extends Connector> connectorClass();

    ConnectorContext context(HostedConnector.Requests requests, HostMetrics metrics);

    /** Whether it may run on this node now. May wait for the node. */
    boolean mayRunHere() throws Exception;

    /** Why it may not run on this node yet, if an operator should know; null for nothing. */
    default @Nullable String waitsFor() {
        return null;
    }

    /** It ended, because the application stops. A source that an operator stopped stays this node's. */
    default void ended() {}

    TaskGroup group(Class<? extends Task> taskClass);
}
