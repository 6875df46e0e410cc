package io.georep.funnel;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * The nodes that decide together who the members of the replicated maps are, by a replicated log in their stores and
 * over their links. Give all nodes of a cluster the same group. Views change while more than half of the keepers run
 * and reach each other. Without them, each member serves until its lease ends.
 *
 * @param keepers an odd number of nodes: 3 survive the loss of one, 5 of two. A node that is not among them only asks. The list cannot be changed
 *     later; a keeper may lose its store, if the others have theirs
 * @param founders members of the first view, in order, the tail last; empty: all keepers in their order. Later nodes join by themselves
 * @param membersMin below so many members the maps are only read; 0 for more than half of the founders
 */
public record ViewGroup(List<NodeId> keepers, List<NodeId> founders, int membersMin) {
    private static final int KEEPERS_MAX = 7;

    /** Checks them and copies the lists. */
    public ViewGroup {
        keepers = List.copyOf(keepers);
        founders = founders.isEmpty() ? keepers : List.copyOf(founders);
        List<String> faults = new ArrayList<>();
        if (keepers.size() % 2 == 0 || keepers.size() > KEEPERS_MAX) {
            faults.add("the views of the replicated maps have " + keepers.size() + " keepers " + keepers
                    + ": name 3 or 5 nodes, or one for a cluster that may stop with it");
        }
        if (new HashSet<>(keepers).size() != keepers.size()) {
            faults.add("a node is twice among the keepers of the views " + keepers);
        }
        if (new HashSet<>(founders).size() != founders.size()) {
            faults.add("a node is twice among the founders of the replicated maps " + founders);
        }
        if (founders.size() > Long.SIZE) {
            faults.add("replicated maps have " + founders.size() + " founders, at most " + Long.SIZE
                    + ": name fewer, others join by themselves");
        }
        if (membersMin < 0 || membersMin > founders.size()) {
            faults.add("membersMin of the replicated maps is " + membersMin + ": allowed are 1 to " + founders.size()
                    + ", the number of founders, or 0 for more than half of them");
        }
        if (!faults.isEmpty()) {
            throw ConfigurationException.of(faults);
        }
    }

    /** Returns the group of these nodes, which are the founders too. */
    public static ViewGroup of(String... keepers) {
        return new ViewGroup(List.of(keepers).stream().map(NodeId::of).toList(), List.of(), 0);
    }

    /** Returns this group with other members of the first view, the tail last. */
    public ViewGroup founders(List<NodeId> value) {
        return new ViewGroup(keepers, value, membersMin);
    }

    /** Returns this group with another least number of members that may write. */
    public ViewGroup membersMin(int value) {
        return new ViewGroup(keepers, founders, value);
    }

    @Override
    public String toString() {
        return keepers.size() / 2 + 1 + " of the keepers " + keepers + " must run and reach each other";
    }
}
