package io.georep.flagons.local;

import io.georep.flagons.core.FleetCommand;
import io.georep.flagons.core.FleetEvent;
import io.georep.flagons.core.FleetProtocol;
import io.georep.flagons.core.FleetSettings;
import io.georep.model.ConfigurationException;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;
import java.util.List;

/**
 * Makes a node one of a fleet.
 *
 * @param seeds {@code host:port} of nodes of the fleet to meet first; a node with none founds a fleet
 */
public record FleetModule(FleetSettings settings, List<String> seeds)
        implements ProtocolModule<Fleet, FleetCommand, FleetEvent> {
    @Override
    public ProtocolId id() {
        return FleetProtocol.ID;
    }

    @Override
    public Class<Fleet> serviceType() {
        return Fleet.class;
    }

    @Override
    public void check(Place place) {
        if (place.host() == null) {
            throw new ConfigurationException("a node of a fleet needs an address to listen on");
        }
    }

    @Override
    public Parts<Fleet, FleetCommand, FleetEvent> start(Place place, Peers peers, NodeHandle<FleetCommand> node) {
        return new Parts<>(new FleetProtocol(settings, seeds, peers), new LocalFleet(node));
    }
}
