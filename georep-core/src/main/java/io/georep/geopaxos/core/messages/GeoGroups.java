package io.georep.geopaxos.core.messages;

import io.georep.consensus.LogTiming;
import io.georep.model.NodeId;
import java.util.List;
import java.util.stream.Stream;

/**
 * The nodes and their groups; the same on all nodes, except what is nearer.
 *
 * @param nodes all nodes: each of them executes everything
 * @param founders of each group, in its order; the first one is where its leader is at home
 * @param initial the groups of objects that were never moved, as a set of bits
 * @param nearness of other nodes to this one
 * @param timing of the groups
 * @param placementPeriod how often objects are given to the groups near those who use them, in nanoseconds; 0 for never
 */
public record GeoGroups(
        List<NodeId> nodes,
        List<List<NodeId>> founders,
        int initial,
        Nearness nearness,
        LogTiming timing,
        long placementPeriod) {
    /** The most groups: the cheapest set of them is looked for among all. */
    public static final int MAX = 12;

    /** Copies the lists. */
    public GeoGroups {
        nodes = List.copyOf(nodes);
        founders = List.copyOf(founders);
        if (founders.isEmpty() || founders.size() > MAX || initial <= 0 || initial >= 1 << founders.size()) {
            throw new IllegalArgumentException(
                    founders.size() + " groups, 1 to " + MAX + " are possible; objects begin with " + initial);
        }
    }

    /** Groups whose objects stay where they are until somebody gives them away. */
    public GeoGroups(
            List<NodeId> nodes, List<List<NodeId>> founders, int initial, Nearness nearness, LogTiming timing) {
        this(nodes, founders, initial, nearness, timing, 0);
    }

    /**
     * Groups of these voters. Objects begin in the first one.
     *
     * @param voters of each group; the first one is where its leader is at home
     * @param replicas execute everything as well, and have no vote
     * @param lease of the groups, in nanoseconds
     * @param period how often objects are given to other groups, in nanoseconds; 0 for never
     */
    public static GeoGroups of(
            List<List<NodeId>> voters, List<NodeId> replicas, long lease, Nearness nearness, long period) {
        List<NodeId> nodes = Stream.concat(voters.stream().flatMap(List::stream), replicas.stream())
                .distinct()
                .sorted()
                .toList();
        // A tenth for the drift: the wall clock tells milliseconds.
        LogTiming timing = new LogTiming(lease / 8, lease, lease / 10, 2 * lease);
        return new GeoGroups(nodes, voters, 1, nearness, timing, period);
    }

    /** Returns the same with other founders. */
    public GeoGroups founded(List<NodeId> all, List<List<NodeId>> voters) {
        return new GeoGroups(all, voters, initial, nearness, timing, placementPeriod);
    }

    /** Returns how many were founded; others may have been added. */
    public int count() {
        return founders.size();
    }

    /** Returns the set of the first groups. */
    public static int all(int count) {
        return (1 << count) - 1;
    }
}
