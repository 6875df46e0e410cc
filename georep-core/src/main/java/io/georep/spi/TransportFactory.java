package io.georep.spi;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import org.jspecify.annotations.Nullable;

/** Creates the transport of a node. {@link java.util.ServiceLoader} finds it, unless the node's builder is given one. */
@FunctionalInterface
public interface TransportFactory {
    /**
     * Settings of one node's transport.
     *
     * @param cluster name of the cluster; links to nodes of another cluster are refused
     * @param node name of this node
     * @param host address to bind; {@code 0.0.0.0} for all
     * @param port port to bind; 0 for any free one
     * @param advertise {@code host:port} that peers should dial; null: derived from the bound address
     * @param frameBytesMax largest frame to send or accept, in bytes
     */
    record Settings(
            String cluster,
            NodeId node,
            String host,
            int port,
            @Nullable String advertise,
            int frameBytesMax) {}

    /**
     * Throws what {@link #create} or the start of the transport would throw for these settings, as far as that is known
     * before; creates nothing. The node asks before it opens its store, to name all mistakes at once.
     *
     * @throws ConfigurationException if a setting is not valid
     */
    default void check(Settings settings) {}

    /**
     * Creates a transport that is not started yet.
     *
     * @throws ConfigurationException if a setting is not valid
     */
    Transport create(Settings settings);
}
