package io.georep.geopaxos.core;

import io.georep.consensus.LogTiming;
import io.georep.model.NodeId;
import java.util.List;

/**
 * The nodes and their groups; the same on all nodes, but for what is nearer.
 *
 * @param nodes all nodes: each of them executes everything
 * @param founders of each group, in its order; the first one is where its leader is at home
 * @param initial the groups of objects that were never moved, as a set of bits
 * @param nearness to this node
 * @param timing of the groups
 */
public record GeoGroups(
        List<NodeId> nodes, List<List<NodeId>> founders, int initial, Nearness nearness, LogTiming timing) {
    /** The most groups. */
    public static final int MAX = 30;

    /** Copies the lists. */
    public GeoGroups {
        nodes = List.copyOf(nodes);
        founders = List.copyOf(founders);
        if (founders.isEmpty() || founders.size() > MAX || initial <= 0 || initial >= 1 << founders.size()) {
            throw new IllegalArgumentException(
                    founders.size() + " groups, 1 to " + MAX + " are possible; objects begin with " + initial);
        }
    }

    int count() {
        return founders.size();
    }

    /** Returns the set of all groups. */
    int all() {
        return (1 << count()) - 1;
    }
}
