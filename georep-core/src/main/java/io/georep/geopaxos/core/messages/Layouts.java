package io.georep.geopaxos.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.consensus.Seats;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Layouts as bytes, the changes that operators may ask for, and the way from the seats of a group to those of a layout.
 *
 * <pre>
 * layout = varint version | varint groups | list* | list          voters of each group, and the replicas
 * list   = varint count | (text node)*
 * </pre>
 */
public final class Layouts {
    private static final int REPLICAS_MAX = 32;
    private static final int VOTERS_MAX = 7;

    /** No operator has changed anything: the seats, and the settings of each node, say who they are. */
    public static final OrderedMapsLayout NONE = new OrderedMapsLayout(0, List.of(), List.of());

    private Layouts() {}

    public static void write(OrderedMapsLayout layout, BinWriter out) {
        out.varint(layout.version()).varint(layout.groups().size());
        layout.groups().forEach(each -> write(each, out));
        write(layout.replicas(), out);
    }

    private static void write(List<NodeId> nodes, BinWriter out) {
        out.varint(nodes.size());
        nodes.forEach(out::node);
    }

    /**
     * Reads a layout.
     *
     * @throws MalformedException if it is none
     */
    public static OrderedMapsLayout read(BinReader in) {
        long version = in.varint(Operation.NUMBER_MAX, "version");
        List<List<NodeId>> groups = new ArrayList<>();
        for (int left = (int) in.varint(GeoGroups.MAX, "groups"); left > 0; left--) {
            groups.add(list(in, Seats.MAX));
        }
        OrderedMapsLayout layout = new OrderedMapsLayout(version, groups, list(in, REPLICAS_MAX));
        boolean isAnyTwice = Stream.concat(groups.stream(), Stream.of(layout.replicas()))
                .anyMatch(list -> new HashSet<>(list).size() < list.size());
        if (version == 0 || isAnyTwice || groups.stream().anyMatch(List::isEmpty)) {
            throw new MalformedException("no layout: " + layout);
        }
        return layout;
    }

    private static List<NodeId> list(BinReader in, int most) {
        List<NodeId> nodes = new ArrayList<>();
        for (int left = (int) in.varint(most, "nodes"); left > 0; left--) {
            nodes.add(in.node());
        }
        return nodes;
    }

    /**
     * Checks one that is to be in force where so many groups were founded: groups are added, and stay.
     *
     * @throws MalformedException if it cannot be
     */
    public static OrderedMapsLayout check(OrderedMapsLayout layout, int founded) {
        if (layout.groups().size() < founded) {
            throw new MalformedException("no layout of " + founded + " groups or more: " + layout);
        }
        return layout;
    }

    /** Returns the nodes that are to take part by a command. */
    public static List<NodeId> namedBy(GeoCommand command) {
        return command instanceof GeoCommand.Change change
                ? change.nodes()
                : command instanceof GeoCommand.Restore restore ? restore.voters() : List.of();
    }

    public static boolean votes(OrderedMapsLayout layout, NodeId node) {
        return layout.groups().stream().anyMatch(group -> group.contains(node));
    }

    /**
     * Returns why a layout cannot be changed so; null if it can.
     *
     * @param removed is to hold nothing any more; null for none
     * @param added takes the place of {@code removed}, with its votes, or is one more replica; null for none
     */
    public static @Nullable String refusal(OrderedMapsLayout layout, @Nullable NodeId removed, @Nullable NodeId added) {
        List<NodeId> nodes = layout.nodes();
        if (removed == null) {
            if (layout.replicas().size() >= REPLICAS_MAX) {
                return "there are " + REPLICAS_MAX + " replicas of ordered maps, which is the most";
            }
            return added == null
                    ? "name a node"
                    : nodes.contains(added) ? "node " + added + " holds the ordered maps already" : null;
        } else if (!nodes.contains(removed)) {
            return "node " + removed + " holds no ordered maps: " + nodes + " do";
        } else if (added == null) {
            return votes(layout, removed) ? "node " + removed + " votes: name the node that takes its place" : null;
        }
        for (List<NodeId> group : layout.groups()) {
            if (group.contains(removed) && group.contains(added)) {
                return "node " + added + " votes already where " + removed + " votes";
            }
        }
        return null;
    }

    /** Returns why a layout cannot have one more group of these voters; null if it can. */
    public static @Nullable String refusal(OrderedMapsLayout layout, List<NodeId> voters) {
        if (layout.groups().size() >= GeoGroups.MAX) {
            return "there are " + GeoGroups.MAX + " groups of ordered maps, which is the most";
        }
        String why = votersRefusal(voters);
        if (why != null) {
            return why;
        }
        NodeId home = voters.get(0);
        for (List<NodeId> group : layout.groups()) {
            if (group.get(0).equals(home)) {
                return "node " + home + " is the home of a group already";
            }
        }
        return null;
    }

    /** Returns why these cannot be the voters of a group; null if they can. */
    public static @Nullable String votersRefusal(List<NodeId> voters) {
        if (voters.isEmpty() || voters.size() > VOTERS_MAX) {
            return "a group has 1 to " + VOTERS_MAX + " voters, not " + voters.size();
        }
        return new HashSet<>(voters).size() < voters.size() ? "a node is named twice: " + voters : null;
    }

    /**
     * Returns the next version, with these voters of a group in the place of the former ones. Former voters that are not lost,
     * and vote nowhere any more, become replicas.
     */
    public static OrderedMapsLayout restored(
            OrderedMapsLayout layout, int group, List<NodeId> lost, List<NodeId> voters) {
        List<List<NodeId>> groups = new ArrayList<>(layout.groups());
        List<NodeId> left = new ArrayList<>(groups.set(group, voters));
        OrderedMapsLayout next = new OrderedMapsLayout(layout.version() + 1, groups, layout.replicas());
        left.addAll(layout.replicas());
        left.removeIf(each ->
                votes(next, each) || (lost.contains(each) && !layout.replicas().contains(each)));
        return new OrderedMapsLayout(
                next.version(), groups, left.stream().distinct().toList());
    }

    /** Returns the next version, with one more group. */
    public static OrderedMapsLayout grown(OrderedMapsLayout layout, List<NodeId> voters) {
        List<List<NodeId>> groups = new ArrayList<>(layout.groups());
        groups.add(voters);
        List<NodeId> replicas = new ArrayList<>(layout.replicas());
        replicas.removeAll(voters);
        return new OrderedMapsLayout(layout.version() + 1, groups, replicas);
    }

    /** Returns the next version, with {@code added} in the place of {@code removed}; one of them may be null. */
    public static OrderedMapsLayout changed(
            OrderedMapsLayout layout, @Nullable NodeId removed, @Nullable NodeId added) {
        List<List<NodeId>> voters = new ArrayList<>();
        for (List<NodeId> group : layout.groups()) {
            voters.add(group.stream()
                    .map(node -> added != null && node.equals(removed) ? added : node)
                    .toList());
        }
        List<NodeId> replicas = new ArrayList<>(layout.replicas());
        replicas.removeIf(node -> node.equals(removed) || node.equals(added));
        OrderedMapsLayout next = new OrderedMapsLayout(layout.version() + 1, voters, replicas);
        if (added != null && !votes(next, added)) {
            replicas.add(added);
        }
        return new OrderedMapsLayout(next.version(), voters, replicas);
    }

    /**
     * Returns which seats may come next on the way to those that are wanted, one node in the place of another one, or one more, or one
     * less: any of these is right, and which one is possible depends on who has caught up. Empty at the end of the way.
     */
    public static List<List<NodeId>> steps(List<NodeId> wanted, List<NodeId> present) {
        List<NodeId> missing = new ArrayList<>(wanted);
        missing.removeAll(present);
        List<NodeId> surplus = new ArrayList<>(present);
        surplus.removeAll(wanted);
        List<List<NodeId>> steps = new ArrayList<>();
        for (NodeId each : missing) {
            List<NodeId> next = new ArrayList<>(present);
            if (surplus.isEmpty() || present.size() == 1) { // one has to stay
                next.add(each);
            } else {
                next.set(next.indexOf(surplus.get(0)), each);
            }
            steps.add(next);
        }
        if (missing.isEmpty() && !wanted.equals(present)) {
            List<NodeId> next = new ArrayList<>(surplus.isEmpty() ? wanted : present);
            next.removeAll(surplus.subList(0, Math.min(1, surplus.size())));
            steps.add(next);
        }
        return steps;
    }
}
