package io.georep.funnel.local;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.FunnelProtocol;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.ProtocolModule;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Adds replicated maps to one node. An object serves one start: protocol and local side share what readers see. */
public final class ReplicatedMapsModule implements ProtocolModule<ReplicatedMaps> {
    /**
     * What the builder of a node was given.
     *
     * @param master makes the master that serves a node
     */
    public record Wanted(FunnelSettings settings, ViewMaster.Factory master) {
        /**
         * Asks the master whether it could serve this node.
         *
         * @throws io.georep.model.ConfigurationException if it cannot
         */
        public void check(NodeId node, @Nullable String host, int port, @Nullable Path dataDir) {
            master.create(new ViewMaster.Place(node, settings, host, port, dataDir))
                    .close();
        }
    }

    private final Wanted wanted;
    private final @Nullable String host;
    private final int port;
    private final @Nullable Path dataDir;
    private final Durability durability;
    private final ReadTable table = new ReadTable();

    /**
     * A module for one start of a node.
     *
     * @param host where the node listens; null if it does not
     * @param port the port that it was given, 0 for any
     * @param dataDir its data directory; null if it has none
     * @param durability of its store
     */
    public ReplicatedMapsModule(
            Wanted wanted, @Nullable String host, int port, @Nullable Path dataDir, Durability durability) {
        this.wanted = wanted;
        this.host = host;
        this.port = port;
        this.dataDir = dataDir;
        this.durability = durability;
    }

    @Override
    public ProtocolId id() {
        return FunnelProtocol.ID;
    }

    @Override
    public Class<ReplicatedMaps> serviceType() {
        return ReplicatedMaps.class;
    }

    @Override
    public int messageBytesMax() {
        return FunnelProtocol.messageBytesMax(wanted.settings());
    }

    @Override
    public HostedProtocol protocol(Peers peers) {
        return new FunnelProtocol(wanted.settings(), peers, table, durability);
    }

    @Override
    public LocalSide<ReplicatedMaps> local(NodeHandle node) {
        NodeId self = NodeId.of(node.nodeName());
        ViewMaster master = wanted.master().create(new ViewMaster.Place(self, wanted.settings(), host, port, dataDir));
        return new LocalReplicatedMaps(node, wanted.settings(), table, master);
    }
}
