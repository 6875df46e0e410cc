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
     * Gives the node ordered maps if groups are named.
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
        if (properties.groups().isEmpty()) {
            if (!properties.replicas().isEmpty()) {
                faults.add(PREFIX + ".replicas set without " + PREFIX
                        + ".groups, and counts for nothing: name the voters of a group, or leave it out");
            }
            return;
        }
        if (properties.groups().size() > 1 && properties.groups().stream().allMatch(voters -> voters.size() == 1)) {
            faults.add(PREFIX + ".groups has only groups of one voter, whose disk is the only one: "
                    + properties.groups() + ". It is a list of lists: three voters of one group are " + PREFIX
                    + ".groups[0]=a,b,c");
            return;
        }
        try {
            builder.orderedMaps(
                    new OrderedMapSettings( // all at once, so that all that is wrong is told at once
                            alone
                                    ? List.of(nodes(List.of(node)))
                                    : properties.groups().stream()
                                            .map(OrderedMapProperties::nodes)
                                            .toList(),
                            nodes(alone ? List.of() : properties.replicas()),
                            properties.lease(),
                            properties.timeout(),
                            properties.waitingMax(),
                            properties.keysMax(),
                            properties.bytesMax(),
                            properties.placement(),
                            transactions));
        } catch (ConfigurationException e) {
            e.faults().forEach(fault -> faults.add(PREFIX + ": " + fault));
        }
    }

    private static List<NodeId> nodes(List<String> names) {
        return names.stream().map(NodeId::of).toList();
    }
}
