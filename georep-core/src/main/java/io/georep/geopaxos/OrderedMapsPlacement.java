package io.georep.geopaxos;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which groups order the operations on the keys of a map, and who uses them.
 *
 * @param decider the node that decides where keys go. It alone counts who uses them. Null if no group has a leader
 * @param leaves neighbouring keys that are given to groups together, in the order of their keys
 * @param next the first key of the leaf after these; null if they are the last ones of the map
 */
public record OrderedMapsPlacement(
        @Nullable NodeId decider,
        List<Leaf> leaves,
        @Nullable Slice next) {
    /** The most leaves that are told at once. */
    public static final int LEAVES_MAX = 1000;

    /** Copies the list. */
    public OrderedMapsPlacement {
        leaves = List.copyOf(leaves);
    }

    /**
     * Neighbouring keys.
     *
     * @param first bytes of the key from which on it has the keys; empty for all before the next leaf
     * @param keys how many it has. At both ends of the map some may be those of other maps
     * @param groups that order the operations on them, by their numbers
     * @param reads by group: how often nodes that are nearest to the home of the group have read them lately. Counts fade. Empty if this
     *     node does not decide, or if nobody has used them since it began to
     * @param writes the same for writes
     */
    public record Leaf(Slice first, int keys, List<Integer> groups, List<Integer> reads, List<Integer> writes) {
        /** Copies the lists. */
        public Leaf {
            groups = List.copyOf(groups);
            reads = List.copyOf(reads);
            writes = List.copyOf(writes);
        }
    }
}
