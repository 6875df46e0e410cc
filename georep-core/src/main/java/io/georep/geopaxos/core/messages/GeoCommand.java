package io.georep.geopaxos.core.messages;

import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request to the protocol. Answers carry the token of the request. */
public sealed interface GeoCommand {
    /** Returns what comes back with the answer. */
    Object token();

    /**
     * Orders an operation and executes it once, however often its client repeats it, here or at other nodes. One that is never repeated has no
     * client and no number: nothing is kept of it.
     *
     * @param client the same for all operations of a client
     * @param sequence the number of the operation, from 1 on; the same when it is repeated
     * @param acked the client needs no answers to operations up to this number any more, and repeats none of them
     */
    record Submit(Object token, long client, long sequence, long acked, Slice operation) implements GeoCommand {
        /** Creates a request that is never repeated. */
        public Submit(Object token, Slice operation) {
            this(token, 0, 0, 0, operation);
        }
    }

    /** Executes an operation that only reads. */
    record Read(Object token, Slice operation) implements GeoCommand {}

    /** Gives objects from certain groups to others: sets of bits. */
    record Give(Object token, long[] objects, int from, int to) implements GeoCommand {}

    /**
     * Puts a node in the place of another one for good, with its votes; or adds or removes a node without a vote; or adds a group. Answered with the
     * layout when it is ordered: the groups follow when the new node has caught up.
     *
     * @param removed null for none
     * @param added null for none
     * @param group voters of one more group; empty for none
     * @param isDry only asks what the layout would be
     */
    record Change(
            Object token,
            @Nullable NodeId removed,
            @Nullable NodeId added,
            List<NodeId> group,
            boolean isDry) implements GeoCommand {
        /** Copies the list. */
        public Change {
            group = List.copyOf(group);
        }

        /** A change of the nodes of the groups that there are. */
        public Change(Object token, @Nullable NodeId removed, @Nullable NodeId added, boolean isDry) {
            this(token, removed, added, List.of(), isDry);
        }

        /** Returns the nodes that are to take part. */
        public List<NodeId> nodes() {
            return added == null ? group : List.of(added);
        }

        /** Returns what a layout becomes. */
        public OrderedMapsLayout of(OrderedMapsLayout layout) {
            return group.isEmpty() ? Layouts.changed(layout, removed, added) : Layouts.grown(layout, group);
        }
    }

    /**
     * Lets a group go on from what this node has of it. Answered with {@link GeoEvent.Restored} if it is only asked what that would mean, and with
     * the layout otherwise, when that is ordered.
     *
     * @param lost voters that have lost their stores for good, so many that the group has no majority
     * @param voters are to vote from then on; this node is among them
     * @param isDry only asks
     */
    record Restore(Object token, int group, List<NodeId> lost, List<NodeId> voters, boolean isDry)
            implements GeoCommand {
        /** Copies the lists. */
        public Restore {
            lost = List.copyOf(lost);
            voters = List.copyOf(voters);
        }

        /** Returns what a layout becomes. */
        public OrderedMapsLayout of(OrderedMapsLayout layout) {
            return Layouts.restored(layout, group, lost, voters);
        }
    }

    /** Reads where objects are, from the one of a key on, at most so many and none that begins at the end or later. */
    record ReadPlacement(Object token, Slice from, Slice end, int most) implements GeoCommand {}

    /** Reads what the node knows of the groups. */
    record ReadStatistics(Object token) implements GeoCommand {}
}
