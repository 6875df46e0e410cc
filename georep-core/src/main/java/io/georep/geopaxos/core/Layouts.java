package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.consensus.Seats;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;

/**
 * Layouts as bytes, and the way from one to the next.
 *
 * <pre>
 * layout = varint version | varint groups | list* | list          no more than the version if it is 0
 * list   = varint count | (text node)*
 * </pre>
 */
final class Layouts {
    private static final int REPLICAS_MAX = 64;

    /** No operator has changed anything: the seats, and the settings of each node, say who they are. */
    static final OrderedMapsLayout NONE = new OrderedMapsLayout(0, List.of(), List.of());

    private Layouts() {}

    static void write(OrderedMapsLayout layout, BinWriter out) {
        out.varint(layout.version());
        if (layout.version() > 0) {
            out.varint(layout.groups().size());
            layout.groups().forEach(each -> write(each, out));
            write(layout.replicas(), out);
        }
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
    static OrderedMapsLayout read(BinReader in) {
        long version = in.varint(Operation.NUMBER_MAX, "version");
        if (version == 0) {
            return NONE;
        }
        List<List<NodeId>> groups = new ArrayList<>();
        for (int left = (int) in.varint(GeoGroups.MAX, "groups"); left > 0; left--) {
            groups.add(list(in, Seats.MAX));
        }
        OrderedMapsLayout layout = new OrderedMapsLayout(version, groups, list(in, REPLICAS_MAX));
        if (!layout.namesNobodyTwice() || groups.stream().anyMatch(List::isEmpty)) {
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
     * Checks one that is to be in force where there are so many groups.
     *
     * @throws MalformedException if it cannot be
     */
    static OrderedMapsLayout check(OrderedMapsLayout layout, int groups) {
        if (layout.version() == 0 || layout.groups().size() != groups) {
            throw new MalformedException("no layout of " + groups + " groups: " + layout);
        }
        return layout;
    }

    /**
     * Returns which seats may come next on the way to those that are wanted, one node in the place of another one, or one more, or one
     * less: any of these is right, and which one is possible depends on who has caught up. Empty at the end of the way.
     */
    static List<List<NodeId>> steps(List<NodeId> wanted, List<NodeId> present) {
        List<NodeId> missing = new ArrayList<>(wanted);
        missing.removeAll(present);
        List<NodeId> surplus = new ArrayList<>(present);
        surplus.removeAll(wanted);
        List<List<NodeId>> steps = new ArrayList<>();
        for (NodeId each : missing) {
            List<NodeId> next = new ArrayList<>(present);
            if (surplus.isEmpty()) {
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
