package io.georep.flagons.local;

import io.georep.flagons.FleetMapSettings;
import io.georep.flagons.FleetMaps;
import io.georep.flagons.FleetWriters;
import io.georep.flagons.core.FleetClientProtocol;
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
import io.georep.runtime.HostAndPort;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a process a node of a fleet, or a client of one.
 *
 * @param settings of a node; null for a client
 * @param seeds {@code host:port} of nodes of the fleet to meet first, or to ask; a node with none founds a fleet
 * @param isAlone whether nobody joins this fleet
 * @param writers who may change values
 */
public record FleetModule(@Nullable FleetSettings settings, List<String> seeds, boolean isAlone, FleetWriters writers)
        implements ProtocolModule<FleetMaps, FleetCommand, FleetEvent> {
    /** Creates what the application has asked for. */
    public FleetModule(FleetMapSettings settings) {
        this(
                settings.role() == FleetMapSettings.Role.CLIENT
                        ? null
                        : FleetSettings.hardened(settings.nodes())
                                .writtenBy(
                                        settings.writers().keys(),
                                        settings.writers().retired()),
                settings.seeds(),
                settings.role() == FleetMapSettings.Role.ALONE,
                settings.writers());
    }

    /** Creates a node with these settings of its protocol. */
    public FleetModule(FleetSettings settings, List<String> seeds) {
        this(settings, seeds, false, FleetWriters.ANYBODY);
    }

    @Override
    public ProtocolId id() {
        return FleetProtocol.ID;
    }

    @Override
    public Class<FleetMaps> serviceType() {
        return FleetMaps.class;
    }

    @Override
    public void check(Place place) {
        for (String seed : seeds) {
            if (!HostAndPort.isValid(seed)) {
                throw new ConfigurationException(
                        "seed '" + seed + "' of the fleet is not host:port with a port from 1 to 65535");
            }
        }
        if (place.host() == null && !isAlone) {
            throw new ConfigurationException("a " + (settings == null ? "client" : "node")
                    + " of a fleet needs an address that its nodes reach: let it listen, with Spring Boot georep.port");
        }
    }

    @Override
    public Parts<FleetMaps, FleetCommand, FleetEvent> start(Place place, Peers peers, NodeHandle<FleetCommand> node) {
        LocalFleet local = new LocalFleet(node, settings == null, writers);
        return new Parts<>(
                settings == null
                        ? new FleetClientProtocol(seeds, peers)
                        : new FleetProtocol(settings, seeds, peers, local.watches),
                local);
    }
}
