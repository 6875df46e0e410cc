package io.georep.funnel.local;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.FunnelProtocol;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;

/**
 * Adds replicated maps to a node.
 *
 * @param master makes the master that serves a node
 */
public record ReplicatedMapsModule(FunnelSettings settings, ViewMaster.Factory master)
        implements ProtocolModule<ReplicatedMaps, FunnelCommand, FunnelEvent> {
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
        return FunnelProtocol.messageBytesMax(settings);
    }

    /** Asks the master whether it could serve this node. A keeper that forgets what it promised would have to be voted in again. */
    @Override
    public void check(Place place) {
        ViewGroup group = master.group();
        if (group == null) {
            masterAt(place).close();
        } else if (group.keepers().contains(place.node()) && place.durability() == Durability.MEMORY) {
            throw new ConfigurationException("node " + place.node()
                    + " is a keeper of views, and its durability is MEMORY: what it decides must survive a restart. Set a"
                    + " data directory and the durability OS or FSYNC");
        }
    }

    private ViewMaster masterAt(Place place) {
        return master.create(new ViewMaster.Place(place.node(), settings, place.host(), place.port(), place.dataDir()));
    }

    @Override
    public Parts<ReplicatedMaps, FunnelCommand, FunnelEvent> start(
            Place place, Peers peers, NodeHandle<FunnelCommand> node) {
        ReadTable table = new ReadTable();
        ViewGroup group = master.group();
        return new Parts<>(
                new FunnelProtocol(settings, peers, table, place.durability(), group),
                group == null
                        ? new LocalReplicatedMaps(node, settings, table, masterAt(place))
                        : LocalReplicatedMaps.kept(node, settings, table, group));
    }
}
