package io.georep.funnel;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.util.HashSet;
import java.util.List;

/**
 * The members of the replicated maps, in order, as the {@link ViewMaster} announced them. The last one is the tail: it decides
 * the order of writes. A write needs all members; a read of a key that is not being written needs none.
 *
 * @param number rises with each change, 1 for the first view
 * @param members in order, the tail last; never empty, at most 64
 */
public record View(long number, List<NodeId> members) {
    /** Copies the list and checks it. */
    public View {
        members = List.copyOf(members);
        if (members.size() > Long.SIZE) {
            throw new ConfigurationException("view " + number + " has " + members.size() + " members, at most "
                    + Long.SIZE + " may be: every write needs all of them");
        }
        if (number < 1 || members.isEmpty() || new HashSet<>(members).size() != members.size()) {
            throw new ConfigurationException("view " + number + " with members " + members
                    + ": the number is at least 1, there is at least one member, and none twice");
        }
    }

    /** Returns the member that decides the order of writes. */
    public NodeId tail() {
        return members.get(members.size() - 1);
    }

    /** Returns the place of a node in the view, from 0; -1 if it is no member. */
    public int rank(NodeId node) {
        return members.indexOf(node);
    }
}
