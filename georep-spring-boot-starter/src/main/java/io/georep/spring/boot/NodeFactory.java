package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.ProtocolConfig;
import io.georep.spi.PeerSelection;
import io.georep.spi.StoreFactory;
import io.georep.spi.Ticker;
import io.georep.spi.TransportFactory;
import io.georep.spring.GeoRepConnectionDetails;
import io.georep.spring.NodeBuilderCustomizer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;

/** Starts the node that the properties describe. */
final class NodeFactory {
    /** Parts an application may supply in place of the node's own. */
    record Parts(
            @Nullable PeerSelection selection,
            @Nullable TransportFactory transport,
            @Nullable StoreFactory store,
            @Nullable Ticker ticker) {
        static Parts from(
                ObjectProvider<PeerSelection> selection,
                ObjectProvider<TransportFactory> transport,
                ObjectProvider<StoreFactory> store,
                ObjectProvider<Ticker> ticker) {
            return new Parts(
                    selection.getIfAvailable(),
                    transport.getIfAvailable(),
                    store.getIfAvailable(),
                    ticker.getIfAvailable());
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(NodeFactory.class);

    private NodeFactory() {}

    static GeoRepNode start(
            GeoRepProperties properties,
            GeoRepConnectionDetails connection,
            Parts parts,
            List<NodeBuilderCustomizer> customizers) {
        NodeBuilder builder = builder(properties, connection, properties.copiesMax(parts.transport()));
        if (parts.selection() != null) {
            builder.selection(parts.selection());
        }
        if (parts.transport() != null) {
            builder.transport(parts.transport());
        }
        if (parts.store() != null) {
            builder.store(parts.store());
        }
        if (parts.ticker() != null) {
            builder.ticker(parts.ticker());
        }
        customizers.forEach(customizer -> customizer.customize(builder));
        return builder.start();
    }

    private static NodeBuilder builder(GeoRepProperties properties, GeoRepConnectionDetails connection, int copiesMax) {
        NodeName name = NodeName.of(properties);
        if (name.id() == null) {
            throw new ConfigurationException(String.valueOf(name.fault()));
        }
        boolean alone = copiesMax == 0;
        if (alone) {
            LOG.info(
                    "georep.test.enabled: node {} is alone, keeps its entries in memory and makes no copies; with"
                            + " georep.test.enabled=false it starts as configured",
                    name.id());
        }
        Integer port = alone ? null : properties.port();
        if (port == null && Math.min(properties.defaultF(), copiesMax) > 0) {
            throw new ConfigurationException("f is " + properties.defaultF()
                    + " but there is no port: a node that is alone can make no copies; set the port, or f to 0");
        }
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId(name.id())
                .cluster(properties.cluster())
                .durability(properties.inMemory() ? Durability.MEMORY : properties.durability())
                .copiesMax(copiesMax)
                .protocol(protocol(properties.protocol()))
                .expectedAway(properties.expectedAway())
                .closeTimeout(properties.closeTimeout())
                .startTimeout(properties.startTimeout());
        if (name.directory() != null) {
            builder.dataDir(name.directory());
        }
        if (properties.site() != null) {
            builder.site(properties.site());
        }
        if (port != null) {
            builder.listen(properties.host(), port);
        }
        if (!alone) {
            builder.seeds(connection.seeds());
            if (properties.advertise() != null) {
                builder.advertise(properties.advertise());
            }
        }
        return builder;
    }

    private static ProtocolConfig protocol(GeoRepProperties.Protocol protocol) {
        return ProtocolConfig.builder()
                .heartbeat(protocol.heartbeat())
                .heartbeatAway(protocol.heartbeatAway())
                .suspectAfter(protocol.suspectAfter())
                .terminateAfter(protocol.terminateAfter())
                .putTimeout(protocol.putTimeout())
                .tombstoneLife(protocol.tombstoneLife())
                .minRtt(protocol.minRtt())
                .minRttStrict(protocol.minRttStrict())
                .reReplicateAfter(protocol.reReplicateAfter().isZero() ? null : protocol.reReplicateAfter())
                .linger(protocol.linger())
                .groupBytesMax(protocol.groupBytesMax())
                .payloadBytesMax(protocol.payloadBytesMax())
                .pendingPutsMax(protocol.pendingPutsMax())
                .pendingBytesMax(protocol.pendingBytesMax())
                .cacheBytesMax(protocol.cacheBytesMax())
                .storeStallAfter(protocol.storeStallAfter())
                .storeFailAfter(protocol.storeFailAfter())
                .storeBacklogBytesMax(protocol.storeBacklogBytesMax())
                .build();
    }
}
