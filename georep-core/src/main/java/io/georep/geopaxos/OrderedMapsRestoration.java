package io.georep.geopaxos;

import io.georep.model.NodeId;
import java.util.List;

/**
 * What it means that a group of ordered maps goes on from the copy of one node, see {@link OrderedMaps#restoreGroup}. What
 * nodes have executed beyond {@link #kept} is lost. So is what was acknowledged elsewhere, if no node in reach has it.
 *
 * @param group number of the group
 * @param layout that comes by it
 * @param executed place of the last operation of the group that this node has executed
 * @param kept place of the last one that is kept: nodes in reach may have more in their logs than they have executed
 * @param others what other nodes in reach have executed of the group
 */
public record OrderedMapsRestoration(
        int group, OrderedMapsLayout layout, long executed, long kept, List<Position> others) {
    /** Copies the list. */
    public OrderedMapsRestoration {
        others = List.copyOf(others);
    }

    /**
     * How far another node is.
     *
     * @param node its name
     * @param executed place of the last operation of the group that it has executed
     * @param isVoter whether it has one of the present votes, with its store
     */
    public record Position(NodeId node, long executed, boolean isVoter) {}
}
