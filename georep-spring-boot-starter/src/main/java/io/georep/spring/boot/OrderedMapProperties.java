package io.georep.spring.boot;

import io.georep.NodeBuilder;
import io.georep.geopaxos.MapTransaction;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.util.List;

/** The ordered maps that the properties describe. */
final class OrderedMapProperties {
    private static final String PREFIX = "georep.ordered-maps";

    private OrderedMapProperties() {}

    /**
     * Gives the node ordered maps if voters are named.
     *
     * @param alone whether the node is the only one, whatever the properties say
     * @param faults gets what is wrong
     */
    static void apply(
            GeoRepProperties.OrderedMaps properties,
            String node,
            boolean alone,
            List<MapTransaction<?, ?>> transactions,
            NodeBuilder builder,
            List<String> faults) {
        if (properties.voters().isEmpty()) {
            if (!properties.replicas().isEmpty()) {
                faults.add(PREFIX + ".replicas set without " + PREFIX
                        + ".voters, and counts for nothing: name the voters, or leave it out");
            }
            return;
        }
        try {
            builder.orderedMaps(new OrderedMapSettings( // all at once, so that all that is wrong is told at once
                    nodes(alone ? List.of(node) : properties.voters()),
                    nodes(alone ? List.of() : properties.replicas()),
                    properties.lease(),
                    properties.timeout(),
                    properties.waitingMax(),
                    transactions));
        } catch (ConfigurationException e) {
            e.faults().forEach(fault -> faults.add(PREFIX + ": " + fault));
        }
    }

    private static List<NodeId> nodes(List<String> names) {
        return names.stream().map(NodeId::of).toList();
    }
}
