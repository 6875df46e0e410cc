package io.georep.geopaxos.local;

import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.core.GeoPaxosProtocol;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.Nearness;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;
import java.util.List;
import java.util.stream.Stream;

/** Adds ordered maps to a node. */
public record GeoPaxosModule(OrderedMapSettings settings) implements ProtocolModule<OrderedMaps, GeoCommand, GeoEvent> {
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
        // A node that the settings do not name may be given a vote later, but not while its store forgets.
        boolean votes = settings.voters().contains(place.node());
        boolean isAlone = settings.replicas().isEmpty() && settings.voters().equals(List.of(place.node()));
        if (votes && !isAlone && place.durability() == Durability.MEMORY) {
            throw new ConfigurationException("node " + place.node()
                    + " votes for ordered maps, and its durability is MEMORY: what it decides must survive a restart."
                    + " Set a data directory and the durability OS or FSYNC");
        }
        boolean hasOthers = Stream.concat(
                        settings.groups().stream().flatMap(List::stream), settings.replicas().stream())
                .anyMatch(node -> !node.equals(place.node()));
        if (hasOthers && place.host() == null) {
            throw new ConfigurationException(
                    "ordered maps of node " + place.node()
                            + " have other nodes, and it reaches none, because it does not listen: let it listen, or name it alone");
        }
    }

    @Override
    public Parts<OrderedMaps, GeoCommand, GeoEvent> start(Place place, Peers peers, NodeHandle<GeoCommand> node) {
        CallerReads reads = new CallerReads();
        LocalOrderedMaps local = new LocalOrderedMaps(node, place.node(), settings, reads);
        GeoGroups groups = GeoGroups.of(
                settings.groups(),
                settings.replicas(),
                settings.lease().toNanos(),
                Nearness.measured(peers),
                settings.placement().toNanos());
        GeoPaxosProtocol protocol = new GeoPaxosProtocol(groups, local::state, peers, reads);
        return new Parts<>(place.durability() == Durability.MEMORY ? protocol.forgetting() : protocol, local);
    }
}
