package io.georep.spring.boot;

import io.georep.NodeBuilder;
import io.georep.flagons.FleetMapSettings;
import io.georep.flagons.FleetWriters;
import io.georep.model.ConfigurationException;
import java.util.List;

/** The fleet that the properties describe. */
final class FleetProperties {
    private FleetProperties() {}

    /**
     * Makes the node one of a fleet if seeds or a role are given.
     *
     * @param alone whether the node is the only one, whatever the properties say
     * @param faults gets what is wrong
     */
    static void apply(GeoRepProperties.Fleet properties, boolean alone, NodeBuilder builder, List<String> faults) {
        if (properties.role() == null && properties.seeds().isEmpty()) {
            return;
        }
        FleetMapSettings.Role role = properties.role() == null ? FleetMapSettings.Role.MEMBER : properties.role();
        try {
            FleetMapSettings settings =
                    new FleetMapSettings(role, properties.seeds(), properties.nodes(), writers(properties));
            builder.fleet(alone ? FleetMapSettings.alone() : settings);
        } catch (ConfigurationException e) {
            e.faults().forEach(fault -> faults.add("georep.fleet: " + fault));
        }
    }

    private static FleetWriters writers(GeoRepProperties.Fleet properties) {
        FleetWriters readOnly = FleetWriters.only(properties.writers());
        return properties.writerKeyFile() == null ? readOnly : readOnly.signingWith(properties.writerKeyFile());
    }
}
