package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ViewMaster;
import io.georep.geopaxos.MapTransaction;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.ProtocolConfig;
import io.georep.netty.MutualTls;
import io.georep.spi.EncryptionKeys;
import io.georep.spi.PeerSelection;
import io.georep.spi.StoreFactory;
import io.georep.spi.Ticker;
import io.georep.spi.TransportFactory;
import io.georep.spring.GeoRepConnectionDetails;
import io.georep.spring.NodeBuilderCustomizer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundles;

/** Starts the node that the properties describe. */
final class NodeFactory {
    /** Parts that an application may supply in place of the node's own. */
    record Parts(
            @Nullable PeerSelection selection,
            @Nullable TransportFactory transport,
            @Nullable MutualTls tls,
            @Nullable SslBundles bundles,
            @Nullable StoreFactory store,
            @Nullable EncryptionKeys keys,
            @Nullable Ticker ticker,
            ViewMaster.@Nullable Factory viewMaster,
            List<MapTransaction<?, ?>> transactions) {
        static Parts from(
                ObjectProvider<PeerSelection> selection,
                ObjectProvider<TransportFactory> transport,
                ObjectProvider<MutualTls> tls,
                ObjectProvider<SslBundles> bundles,
                ObjectProvider<StoreFactory> store,
                ObjectProvider<EncryptionKeys> keys,
                ObjectProvider<Ticker> ticker,
                ObjectProvider<ViewMaster.Factory> viewMaster,
                ObjectProvider<MapTransaction<?, ?>> transactions) {
            return new Parts(
                    selection.getIfAvailable(),
                    transport.getIfAvailable(),
                    tls.getIfAvailable(),
                    bundles.getIfAvailable(),
                    store.getIfAvailable(),
                    keys.getIfAvailable(),
                    ticker.getIfAvailable(),
                    viewMaster.getIfAvailable(),
                    transactions.orderedStream().toList());
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(NodeFactory.class);

    private NodeFactory() {}

    /**
     * Starts the node.
     *
     * @param faults what is wrong already
     * @throws ConfigurationException when anything is; the message names all of it
     */
    static GeoRepNode start(
            GeoRepProperties properties,
            GeoRepConnectionDetails connection,
            Parts parts,
            List<NodeBuilderCustomizer> customizers,
            List<String> faults) {
        List<String> all = new ArrayList<>(faults);
        NodeBuilder builder =
                builder(properties, connection, properties.copiesMax(parts.transport()), parts.transactions(), all);
        if (parts.selection() != null) {
            builder.selection(parts.selection());
        }
        LinkTls.check(properties.ssl(), parts.bundles(), parts.transport(), all);
        TransportFactory transport =
                TransportSecurity.transport(properties.security(), parts.tls(), parts.transport(), all);
        if (transport != null) {
            builder.transport(transport);
        }
        if (!properties.inMemory()) {
            builder.encryption(StoreKeys.of(properties.store().encryption(), parts.keys(), all));
        }
        if (parts.store() != null) {
            builder.store(parts.store());
        }
        if (parts.ticker() != null) {
            builder.ticker(parts.ticker());
        }
        ViewMaster.Factory master = parts.viewMaster();
        KeptViewMaster.check(properties.maps(), master, all);
        if (master != null) {
            boolean alone = properties.copiesMax(parts.transport()) == 0;
            gather(
                    all,
                    () -> builder.replicatedMaps(
                            mapSettings(properties.maps()), alone ? ViewMaster.Factory.alone() : master));
        }
        customizers.forEach(customizer -> customizer.customize(builder));
        gather(all, builder::check);
        if (!all.isEmpty()) {
            throw ConfigurationException.of(all);
        }
        return builder.start();
    }

    private static void gather(List<String> faults, Runnable check) {
        try {
            check.run();
        } catch (ConfigurationException e) {
            faults.addAll(e.faults());
        }
    }

    private static NodeBuilder builder(
            GeoRepProperties properties,
            GeoRepConnectionDetails connection,
            int copiesMax,
            List<MapTransaction<?, ?>> transactions,
            List<String> faults) {
        NodeName name = NodeName.of(properties);
        if (name.id() == null) {
            faults.add(String.valueOf(name.fault()));
        }
        String id = name.id() == null ? "unnamed" : name.id();
        boolean alone = copiesMax == 0;
        if (alone) {
            LOG.info(
                    "georep.test.enabled: node {} is alone, keeps its entries in memory and makes no copies; with"
                            + " georep.test.enabled=false it starts as configured",
                    id);
        }
        Integer port = alone ? null : properties.port();
        if (port == null && Math.min(properties.defaultF(), copiesMax) > 0) {
            faults.add(
                    "f is " + properties.defaultF()
                            + " but there is no port: a node that is alone can make no copies; set georep.port, or georep.f to 0");
        }
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId(id)
                .cluster(properties.cluster())
                .durability(properties.inMemory() ? Durability.MEMORY : properties.durability())
                .copiesMax(copiesMax)
                .expectedAway(properties.expectedAway())
                .closeTimeout(properties.closeTimeout())
                .startTimeout(properties.startTimeout());
        gather(faults, () -> builder.protocol(protocol(properties.protocol())));
        if (!properties.inMemory()) {
            builder.dataDir(name.directory() == null ? NodeName.DATA : name.directory());
        }
        if (!properties.connectors().isEmpty()) {
            builder.keySpaces(KeySpaceSettings.defaults());
            ConnectorProperties.checkClassPath(
                    properties.connectors(), Thread.currentThread().getContextClassLoader(), faults);
        }
        if (properties.console().enabled()) {
            builder.reports();
        }
        OrderedMapProperties.apply(properties.orderedMaps(), id, alone, transactions, builder, faults);
        FleetProperties.apply(properties.fleet(), alone, builder, faults);
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

    static FunnelSettings mapSettings(GeoRepProperties.Maps maps) {
        FunnelSettings defaults = FunnelSettings.defaults();
        return new FunnelSettings( // all at once, so that all that is wrong is told at once
                maps.keysMax(),
                maps.bytesMax(),
                maps.valueBytesMax(),
                maps.uncommittedMax(),
                defaults.uncommittedPerKeyMax(),
                defaults.clientsMax(),
                maps.lease(),
                defaults.clockRateError(),
                maps.suspectAfter(),
                maps.writeTimeout(),
                maps.readTimeout(),
                defaults.resendAfter(),
                defaults.uplinkBytesPerSecond());
    }

    static ProtocolConfig protocol(GeoRepProperties.Protocol protocol) {
        return ProtocolConfig.builder()
                .heartbeat(protocol.heartbeat())
                .heartbeatAway(protocol.heartbeatAway())
                .suspectAfter(protocol.suspectAfter())
                .terminateAfter(protocol.terminateAfter())
                .putTimeout(protocol.putTimeout())
                .tombstoneLife(protocol.tombstoneLife())
                .minRtt(protocol.minRtt())
                .reReplicateAfter(protocol.reReplicateAfter().isZero() ? null : protocol.reReplicateAfter())
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
