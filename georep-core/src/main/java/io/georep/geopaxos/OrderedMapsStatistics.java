package io.georep.geopaxos;

import io.georep.model.Measures;
import io.georep.model.NodeId;
import io.georep.model.ProtocolStatistics;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of its ordered maps.
 *
 * @param groups that order the operations, by their numbers; empty for a node that holds nothing, while another one makes its calls
 * @param unanswered operations of this node that wait for an answer
 * @param unexecuted operations that a group has ordered and this node has not executed yet
 * @param keys of all maps
 * @param bytes of keys and values, with the name of the map in each key
 * @param clients that have used an {@link OperationNumber}; of each one something is kept for ever
 * @param kept bytes of logs, and of results that nobody needs, that are not forgotten. Logs are not forgotten while the first group has
 *     no leader, results are not while any group has none
 * @param keptMax the bound of {@code kept}: beyond it, new writes are refused
 * @param leftBehind whether a group has gone on, by an operator's order, without what this node has executed: until it is emptied it answers
 *     nothing, and only votes
 */
public record OrderedMapsStatistics(
        List<Group> groups,
        long unanswered,
        long unexecuted,
        long keys,
        long bytes,
        long clients,
        long kept,
        long keptMax,
        boolean leftBehind)
        implements ProtocolStatistics {
    /** Copies the list. */
    public OrderedMapsStatistics {
        groups = List.copyOf(groups);
    }

    /**
     * What a node knows of a group.
     *
     * @param number of the group, from 0 on
     * @param voters the first one leads when it can
     * @param changing whether this node leads, and the voters are not yet those that an operator wants, or too few of them know it.
     *     Until it is over, no voter that was removed may lose its store
     * @param leader null if this node has heard of none for a lease, or leads itself and does not reach a majority
     * @param leads whether this node leads
     * @param decided place of the last operation that this node knows to be decided
     * @param behind places that the leader has called decided, and that this node does not have
     * @param leaves of neighbouring keys that this group has got because they are used near it
     */
    public record Group(
            int number,
            List<NodeId> voters,
            boolean changing,
            @Nullable NodeId leader,
            boolean leads,
            long decided,
            long behind,
            long leaves) {
        /** Copies the list. */
        public Group {
            voters = List.copyOf(voters);
        }
    }

    @Override
    public void measure(Measures to) {
        to.gauge("ordered.maps.unanswered", "operations", "Operations of this node that are not answered", unanswered);
        to.gauge("ordered.maps.unexecuted", "operations", "Ordered operations that wait to be executed", unexecuted);
        to.gauge("ordered.maps.keys", "keys", "Keys of all maps", keys);
        to.gauge("ordered.maps.bytes", "bytes", "Bytes of keys and values", bytes);
        to.gauge("ordered.maps.clients", "clients", "Clients that have used operation numbers", clients);
        to.gauge("ordered.maps.kept", "bytes", "Bytes of logs and results that wait to be forgotten", kept);
        for (Group each : groups) {
            Map<String, String> tags = Map.of("group", String.valueOf(each.number));
            long led = each.leader == null ? 0 : 1;
            to.gauge("ordered.maps.led", "leaders", "Whether a leader of the group is in reach", led, tags);
            to.gauge("ordered.maps.leads", "leaders", "Whether this node leads the group", each.leads ? 1 : 0, tags);
            to.gauge("ordered.maps.decided", "operations", "Place of the last decided operation", each.decided, tags);
            to.gauge("ordered.maps.behind", "operations", "Decided operations that this node lacks", each.behind, tags);
            to.gauge("ordered.maps.leaves", "leaves", "Leaves that the group has got from others", each.leaves, tags);
        }
    }

    @Override
    public Map<String, Object> summary() {
        return Map.of("unanswered", unanswered, "unexecuted", unexecuted);
    }
}
