package io.georep.spi;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * Makes the transport of a node. Found through {@link java.util.ServiceLoader} unless the node's builder is given one.
 */
@FunctionalInterface
public interface TransportFactory {
    /**
     * Settings of one node's transport.
     *
     * @param cluster name of the cluster; links to nodes of another cluster are refused
     * @param node name of this node
     * @param host address to bind, {@code 0.0.0.0} for all
     * @param port port to bind; 0 for any free one
     * @param advertise {@code host:port} that peers should dial; null to derive it from what was bound
     * @param frameBytesMax largest frame to send or accept
     */
    record Settings(
            String cluster,
            NodeId node,
            String host,
            int port,
            @Nullable String advertise,
            int frameBytesMax) {}

    /**
     * Makes a transport that is not started yet.
     *
     * @throws ConfigurationException when a setting is not valid
     */
    Transport create(Settings settings);
}
