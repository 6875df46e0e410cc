package io.georep.geopaxos;

import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes vote for ordered maps, and which ones hold everything without a vote.
 *
 * @param version how often operators have changed it; 0 for what the settings say
 * @param groups voters of each group; the first one leads it when it can
 * @param replicas the others
 */
public record OrderedMapsLayout(long version, List<List<NodeId>> groups, List<NodeId> replicas) {
    /** The most replicas. */
    private static final int REPLICAS_MAX = 32;

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

    /** Returns whether this node votes in a group. */
    public boolean votes(NodeId node) {
        return groups.stream().anyMatch(group -> group.contains(node));
    }

    /**
     * Returns why this layout cannot be changed so; null if it can.
     *
     * @param removed is to hold nothing any more; null for none
     * @param added takes the place of {@code removed}, with its votes, or is one more replica; null for none
     */
    public @Nullable String refusal(@Nullable NodeId removed, @Nullable NodeId added) {
        if (removed == null && added == null) {
            return "name a node";
        } else if (removed != null && !nodes().contains(removed)) {
            return "node " + removed + " holds no ordered maps: " + nodes() + " do";
        } else if (removed == null) {
            return replicas.size() >= REPLICAS_MAX
                    ? "at most " + REPLICAS_MAX + " replicas"
                    : nodes().contains(added) ? "node " + added + " holds the ordered maps already" : null;
        } else if (added == null) {
            return votes(removed) ? "node " + removed + " votes: name the node that takes its place" : null;
        }
        for (List<NodeId> group : groups) {
            if (group.contains(removed) && group.contains(added)) {
                return "node " + added + " votes already where " + removed + " votes";
            }
        }
        return null;
    }

    /** Returns the next version, with {@code added} in the place of {@code removed}; one of them may be null. */
    public OrderedMapsLayout changed(@Nullable NodeId removed, @Nullable NodeId added) {
        List<List<NodeId>> voters = new ArrayList<>();
        for (List<NodeId> group : groups) {
            voters.add(group.stream()
                    .map(node -> added != null && node.equals(removed) ? added : node)
                    .toList());
        }
        List<NodeId> rest = new ArrayList<>(replicas);
        rest.remove(removed);
        OrderedMapsLayout next = new OrderedMapsLayout(version + 1, voters, rest);
        if (added != null && !next.nodes().contains(added)) {
            rest.add(added);
        } else if (added != null && next.votes(added)) {
            rest.remove(added);
        }
        return new OrderedMapsLayout(version + 1, voters, rest);
    }

    /** Returns whether no node is named twice in a group or among the replicas. */
    public boolean namesNobodyTwice() {
        return Stream.concat(groups.stream(), Stream.of(replicas))
                .allMatch(list -> new HashSet<>(list).size() == list.size());
    }
}
