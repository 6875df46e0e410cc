package io.georep.geopaxos.local;

import io.georep.consensus.LogTiming;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.core.GeoCommand;
import io.georep.geopaxos.core.GeoEvent;
import io.georep.geopaxos.core.GeoGroups;
import io.georep.geopaxos.core.GeoPaxosProtocol;
import io.georep.geopaxos.core.Nearness;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;
import java.util.List;
import java.util.stream.Stream;

/** Adds ordered maps to a node. One group orders everything: which group would be the best for a key is not decided yet. */
public record GeoPaxosModule(OrderedMapSettings settings) implements ProtocolModule<OrderedMaps, GeoCommand, GeoEvent> {
    private static final int HEARTBEATS_IN_A_LEASE = 8;

    /** A tenth: the wall clock tells milliseconds, and the shortest lease has 100 of them. */
    private static final int DRIFT_OF_A_LEASE = 10;

    @Override
    public ProtocolId id() {
        return GeoPaxosProtocol.ID;
    }

    @Override
    public Class<OrderedMaps> serviceType() {
        return OrderedMaps.class;
    }

    @Override
    public int messageBytesMax() {
        return GeoPaxosProtocol.messageBytesMax();
    }

    @Override
    public void check(Place place) {
        boolean isVoter = settings.voters().contains(place.node());
        if (!isVoter && !settings.replicas().contains(place.node())) {
            throw new ConfigurationException("node " + place.node() + " is neither a voter nor a replica of ordered maps: "
                    + settings.voters() + ", " + settings.replicas());
        }
        if (isVoter && place.durability() == Durability.MEMORY) {
            throw new ConfigurationException("node " + place.node()
                    + " is a voter of ordered maps, and its durability is MEMORY: what it decides must survive a restart."
                    + " Set a data directory and the durability OS or FSYNC");
        }
    }

    private GeoGroups groups() {
        List<NodeId> nodes = Stream.concat(settings.voters().stream(), settings.replicas().stream())
                .sorted()
                .toList();
        long lease = settings.lease().toNanos();
        LogTiming timing = new LogTiming(lease / HEARTBEATS_IN_A_LEASE, lease, lease / DRIFT_OF_A_LEASE, 2 * lease);
        return new GeoGroups(nodes, List.of(settings.voters()), 1, new Nearness(List.of(0)), timing);
    }

    @Override
    public Parts<OrderedMaps, GeoCommand, GeoEvent> start(Place place, Peers peers, NodeHandle<GeoCommand> node) {
        LocalOrderedMaps local = new LocalOrderedMaps(node, settings);
        return new Parts<>(new GeoPaxosProtocol(groups(), local::state, peers), local);
    }
}
