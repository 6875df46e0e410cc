package io.georep.simulation;

import java.util.function.Consumer;

/** Trouble between nodes: blocks, one-way cuts, broken connections, ways that hold back, that are narrow, or that come and go. */
final class LinkFaults {
    private static final int FLAPS = 6;

    private final Nemesis nemesis;

    LinkFaults(Nemesis nemesis) {
        this.nemesis = nemesis;
    }

    void happen(Fault kind, SimulatedNode node) {
        switch (kind) {
            case PARTITION -> partition();
            case ONE_WAY -> oneWay();
            case BREAK -> breakSome(node);
            case CLOG -> between(kind, node, Way::clog, Way::heal);
            case NARROW -> {
                long nanosPerByte = nemesis.random.nextLong(World.SECONDS / 1_000_000, World.SECONDS / 2_000);
                between(kind, node, way -> way.line(nanosPerByte), way -> way.line(0));
            }
            default -> flap(node, nemesis.any(), 1 + nemesis.random.nextInt(FLAPS));
        }
    }

    private Way way(SimulatedNode from, SimulatedNode to) {
        return nemesis.cluster.way(from, to);
    }

    private void partition() {
        var nodes = nemesis.cluster.nodes();
        int side = 1 + nemesis.random.nextInt((1 << nodes.size()) - 1);
        partition(side, nemesis.random.nextBoolean(), nemesis.spell());
    }

    /** Who is on the one side is said by bits. */
    void partition(int side, boolean silently, long nanos) {
        var nodes = nemesis.cluster.nodes();
        for (int a = 0; a < nodes.size(); a++) {
            for (int b = 0; b < nodes.size(); b++) {
                if ((side >> a & 1) != (side >> b & 1)) {
                    cut(Fault.PARTITION, nodes.get(a), nodes.get(b), silently, nanos);
                }
            }
        }
    }

    private void oneWay() {
        boolean silently = nemesis.random.nextBoolean();
        for (int i = 1 + nemesis.random.nextInt(3); i > 0; i--) {
            cut(Fault.ONE_WAY, nemesis.any(), nemesis.any(), silently, nemesis.spell());
        }
    }

    private void cut(Fault kind, SimulatedNode from, SimulatedNode to, boolean silently, long nanos) {
        Way way = way(from, to);
        if (from != to && !way.isCut()) {
            Trouble.Item item = nemesis.begin(kind, from, to);
            way.cut(silently);
            nemesis.later(item, nanos, way::heal);
        }
    }

    private void breakSome(SimulatedNode node) {
        for (SimulatedNode other : nemesis.cluster.nodes()) {
            if (other != node && nemesis.random.nextBoolean()) {
                Trouble.Item item = nemesis.begin(Fault.BREAK, node, other);
                way(node, other).breakConnection();
                nemesis.end(item);
            }
        }
    }

    private void between(Fault kind, SimulatedNode from, Consumer<Way> trouble, Consumer<Way> end) {
        SimulatedNode to = nemesis.any();
        Way way = way(from, to);
        if (from != to && way.isOpen()) {
            Trouble.Item item = nemesis.begin(kind, from, to);
            trouble.accept(way);
            nemesis.later(item, nemesis.spell(), () -> end.accept(way));
        }
    }

    /** A way is cut, and open again a moment later, again and again. */
    private void flap(SimulatedNode from, SimulatedNode to, int times) {
        if (from == to || times == 0) {
            return;
        }
        long nanos = 1 + nemesis.spell() / FLAPS;
        cut(Fault.FLAP, from, to, nemesis.random.nextBoolean(), nanos);
        nemesis.later(nanos + 1 + nemesis.random.nextLong(nanos), () -> flap(from, to, times - 1));
    }
}
