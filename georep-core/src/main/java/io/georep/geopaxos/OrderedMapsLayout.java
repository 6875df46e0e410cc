package io.georep.geopaxos;

import io.georep.model.NodeId;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which nodes vote for ordered maps, and which ones hold everything without a vote.
 *
 * @param version how often operators have changed it; 0 for what the settings say
 * @param groups voters of each group; the first one leads it when it can
 * @param replicas the others
 */
public record OrderedMapsLayout(long version, List<List<NodeId>> groups, List<NodeId> replicas) {
    /** Copies the lists. */
    public OrderedMapsLayout {
        groups = groups.stream().map(List::copyOf).toList();
        replicas = List.copyOf(replicas);
    }

    /** Returns all nodes. */
    public List<NodeId> nodes() {
        return Stream.concat(groups.stream().flatMap(List::stream), replicas.stream())
                .distinct()
                .sorted()
                .toList();
    }
}
