package io.georep.simulation;

import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;

/** What went wrong when and for whom: what a duplicate may be explained with. */
final class Trouble {
    /** One trouble; {@code until} grows while it lasts. */
    static final class Item {
        final Fault kind;
        final NodeId first;
        final NodeId second;
        final long from;
        long until = Long.MAX_VALUE;

        Item(Fault kind, NodeId first, NodeId second, long from) {
            this.kind = kind;
            this.first = first;
            this.second = second;
            this.from = from;
        }

        /** Whether it concerned one of these nodes, or the way between them, at some time. */
        private boolean concerns(NodeId a, NodeId b, long since, long to) {
            boolean those = second == null
                    ? first.equals(a) || first.equals(b)
                    : (first.equals(a) && second.equals(b)) || (first.equals(b) && second.equals(a));
            return those && from <= to && until >= since;
        }

        @Override
        public String toString() {
            return "%s %s%s %.3f..%s"
                    .formatted(
                            kind,
                            first,
                            second == null ? "" : ">" + second,
                            from / 1e9,
                            until == Long.MAX_VALUE ? "" : "%.3f".formatted(until / 1e9));
        }
    }

    private final World world;
    private final List<Item> items = new ArrayList<>();

    Trouble(World world) {
        this.world = world;
    }

    /** Trouble begins for a node, or for the way from one to another. */
    Item begin(Fault kind, NodeId first, NodeId second) {
        Item item = new Item(kind, first, second, world.now());
        items.add(item);
        world.trace().note(world.now(), "fault", kind, first, second, 0);
        return item;
    }

    /** It is over; its effects may last a little longer. */
    void end(Item item, long effectNanos) {
        item.until = world.now() + effectNanos;
    }

    /** Everything is over. */
    void endAll(long effectNanos) {
        for (Item item : items) {
            item.until = Math.min(item.until, world.now() + effectNanos);
        }
    }

    /** A trouble that explains why both nodes forwarded an entry, null when there is none. */
    Item between(NodeId a, NodeId b, long since, long to) {
        for (Item item : items) {
            if (item.concerns(a, b, since, to)) {
                return item;
            }
        }
        return null;
    }

    List<Item> items() {
        return items;
    }
}
