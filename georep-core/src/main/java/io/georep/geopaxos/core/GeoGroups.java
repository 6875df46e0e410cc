package io.georep.geopaxos.core;

import io.georep.consensus.LogTiming;
import io.georep.model.NodeId;
import java.util.List;
import java.util.stream.Stream;

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

    /**
     * One group that orders everything.
     *
     * @param voters of the group; the first one is where its leader is at home
     * @param replicas execute everything as well, and have no vote
     * @param lease of the group, in nanoseconds
     */
    public static GeoGroups one(List<NodeId> voters, List<NodeId> replicas, long lease) {
        List<NodeId> nodes =
                Stream.concat(voters.stream(), replicas.stream()).sorted().toList();
        // A tenth for the drift: the wall clock tells milliseconds.
        LogTiming timing = new LogTiming(lease / 8, lease, lease / 10, 2 * lease);
        return new GeoGroups(nodes, List.of(voters), 1, new Nearness(List.of(0)), timing);
    }

    int count() {
        return founders.size();
    }

    /** Returns the set of all groups. */
    int all() {
        return (1 << count()) - 1;
    }
}
