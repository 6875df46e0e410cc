package io.georep.geopaxos.core;

import io.georep.model.NodeId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How much of the logs can be forgotten: what stands in a snapshot of more than half of all nodes, with all groups taken together. A node
 * that is behind in one group can take the state of another one only if that is not behind in another group what this node has
 * forgotten. Of any two nodes that have forgotten something, each can take the state of a node that was counted for both.
 */
final class Truncation {
    private final NodeId self;
    private final int majority;
    private final TreeMap<NodeId, List<Long>> cuts = new TreeMap<>();

    /** What it will forget next, once enough nodes have it. */
    private List<Long> next;

    Truncation(NodeId self, List<NodeId> nodes, List<Long> slots) {
        this.self = self;
        majority = nodes.size() / 2 + 1;
        next = slots;
        cuts.put(self, slots);
    }

    /** Returns the slots of the last snapshot of this node. */
    List<Long> own() {
        return cuts.getOrDefault(self, List.of());
    }

    /** Returns how many entries were processed since the last snapshot. */
    long age(List<Long> slots) {
        long age = 0;
        for (int group = 0; group < slots.size(); group++) {
            age += slots.get(group) - own().get(group);
        }
        return age;
    }

    /** This node has stored a snapshot. */
    void snapshot(List<Long> slots) {
        cuts.put(self, slots);
    }

    /** Another node has, and says so when it is durable. */
    void onCut(NodeId node, List<Long> slots) {
        cuts.put(node, slots);
    }

    /** Returns up to which slots the logs can be forgotten now; empty if nothing new can. */
    List<Long> passed() {
        List<Long> candidate = next;
        long holders =
                cuts.values().stream().filter(cut -> covers(cut, candidate)).count();
        if (holders < majority || candidate.equals(own())) {
            return List.of();
        }
        next = own();
        return candidate;
    }

    /** Returns a node whose state has all that this node has forgotten, and more than it has; null if none is known. */
    @Nullable
    NodeId holder(List<Long> forgotten, List<Long> slots) {
        for (Map.Entry<NodeId, List<Long>> each : cuts.entrySet()) {
            if (covers(each.getValue(), forgotten) && !covers(slots, each.getValue())) {
                return each.getKey();
            }
        }
        return null;
    }

    private static boolean covers(List<Long> cut, List<Long> other) {
        for (int group = 0; group < other.size(); group++) {
            if (cut.get(group) < other.get(group)) {
                return false;
            }
        }
        return true;
    }
}
