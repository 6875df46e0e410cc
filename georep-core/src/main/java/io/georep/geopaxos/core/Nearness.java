package io.georep.geopaxos.core;

import java.util.List;

/**
 * Which groups are nearer to this node.
 *
 * @param order all groups, the nearest first
 */
public record Nearness(List<Integer> order) {
    /** Copies the list. */
    public Nearness {
        order = List.copyOf(order);
    }

    int nearest(int groups) {
        for (int group : order) {
            if ((groups >> group & 1) != 0) {
                return group;
            }
        }
        throw new IllegalArgumentException("none of the groups " + order + " is in " + Integer.toBinaryString(groups));
    }
}
