package io.georep.simulation;

import java.util.List;
import java.util.random.RandomGenerator;

/** How the nodes of a run come into the world. */
final class Births {
    /** For so many heartbeats nodes live before all of them stop and some are emptied. */
    private static final int SETTLED_HEARTBEATS = 20;

    private final SimulatedCluster cluster;
    private final Breadth breadth;
    private final World world;
    private final Nemesis nemesis;
    private final RandomGenerator random;
    private final long heartbeat;

    Births(SimulatedCluster cluster, Nemesis nemesis) {
        this.cluster = cluster;
        this.nemesis = nemesis;
        breadth = cluster.options().breadth();
        world = cluster.world();
        random = world.random("births");
        heartbeat = cluster.options().config().heartbeat().toNanos();
    }

    /** Starts all machines, or some later. */
    void start(RandomGenerator late) {
        if (breadth.has(Breadth.Kind.ONE_SEED)) {
            cluster.nodes().forEach(node -> node.seeds("n1:1"));
        }
        if (breadth.has(Breadth.Kind.ALONE) || breadth.has(Breadth.Kind.HALVES)) {
            apart(breadth.has(Breadth.Kind.ALONE) ? -1 : random.nextInt());
        }
        for (SimulatedNode node : cluster.nodes()) {
            boolean isLate =
                    breadth.has(Breadth.Kind.NEWCOMERS) && cluster.nodes().indexOf(node) >= 2 && late.nextBoolean();
            if (isLate) {
                world.after(late.nextLong(cluster.options().durationNanos()), () -> {
                    if (!node.isRunning() && !cluster.isDead(node) && node.boots() == 0) {
                        node.start();
                    }
                });
            } else {
                node.start();
            }
        }
        if (breadth.has(Breadth.Kind.EMPTIED)) {
            world.run(SETTLED_HEARTBEATS * heartbeat);
            emptied();
        }
        if (breadth.has(Breadth.Kind.UPTIME)) {
            world.run(Breadth.UPTIME_NANOS);
        }
    }

    /** Nodes do not reach each other at first: none of them, or those whose bits differ. */
    private void apart(int sides) {
        List<SimulatedNode> nodes = cluster.nodes();
        long nanos = 1 + random.nextLong(40 * heartbeat);
        for (int a = 0; a < nodes.size(); a++) {
            for (int b = 0; b < nodes.size(); b++) {
                if (a != b && (sides == -1 || ((sides >> a) & 1) != ((sides >> b) & 1))) {
                    Way way = cluster.network()
                            .way(nodes.get(a).address(), nodes.get(b).address());
                    Trouble.Item item = nemesis.begin(Fault.PARTITION, nodes.get(a), nodes.get(b));
                    way.cut(false);
                    world.after(nanos, () -> {
                        way.heal();
                        nemesis.end(item);
                    });
                }
            }
        }
    }

    /** All stop, a seed loses its store and begins again while the others are away. */
    private void emptied() {
        SimulatedNode first = cluster.nodes().get(0);
        if (!nemesis.mayLose(first, false)) {
            return;
        }
        nemesis.lost();
        for (SimulatedNode node : cluster.nodes()) {
            if (node.isRunning()) {
                Trouble.Item item = nemesis.begin(node == first ? Fault.WIPE : Fault.POWER_CUT, node, null);
                cluster.crash(node);
                world.after(random.nextLong(20 * heartbeat), () -> nemesis.end(item));
            }
        }
        cluster.replaceStore(first, null);
        first.start();
        for (SimulatedNode node : cluster.nodes()) {
            world.after(1 + random.nextLong(20 * heartbeat), () -> nemesis.restart(node));
        }
    }
}
