package io.georep.simulation;

import io.georep.model.ProtocolConfig;
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
        breadth = cluster.options().breadth;
        world = cluster.world();
        random = world.random("births");
        heartbeat = cluster.options().config.heartbeat().toNanos();
    }

    /** Starts all machines, or some later. */
    void start(RandomGenerator late) {
        if (breadth.has(Breadth.Kind.ONE_SEED)) {
            cluster.nodes().forEach(node -> node.seeds("n1:1"));
        }
        if (breadth.has(Breadth.Kind.ALONE) || breadth.has(Breadth.Kind.HALVES)) {
            apart(breadth.has(Breadth.Kind.ALONE) ? -1 : halves());
        }
        for (SimulatedNode node : cluster.nodes()) {
            boolean isLate =
                    breadth.has(Breadth.Kind.NEWCOMERS) && cluster.nodes().indexOf(node) >= 2 && late.nextBoolean();
            if (isLate) {
                world.after(late.nextLong(cluster.options().durationNanos), () -> {
                    if (!node.isRunning() && !cluster.isDead(node) && node.boots() == 0) {
                        node.start();
                    }
                });
            } else {
                node.start();
            }
        }
        boolean isBoth = breadth.has(Breadth.Kind.BOTH_EMPTIED);
        if (isBoth || breadth.has(Breadth.Kind.EMPTIED)) {
            world.run(SETTLED_HEARTBEATS * heartbeat);
            emptied(isBoth ? 2 : 1);
        }
        if (breadth.has(Breadth.Kind.YEARS)) {
            world.run(SETTLED_HEARTBEATS * heartbeat);
            years(1 + random.nextLong(Breadth.YEARS_NANOS_MAX));
        }
        if (breadth.has(Breadth.Kind.UPTIME)) {
            world.run(Breadth.uptimeNanos(random));
        }
    }

    private int halves() {
        return random.nextBoolean()
                ? random.nextInt()
                : 1 << random.nextInt(cluster.nodes().size());
    }

    /** Nodes do not reach each other at first: none of them, or those whose bits differ. */
    private void apart(int sides) {
        List<SimulatedNode> nodes = cluster.nodes();
        long nanos = 1 + random.nextLong(40 * heartbeat);
        cluster.eachWay((from, to) -> {
            if (sides == -1 || ((sides >> nodes.indexOf(from)) & 1) != ((sides >> nodes.indexOf(to)) & 1)) {
                Trouble.Item item = nemesis.begin(Fault.PARTITION, from, to);
                cluster.way(from, to).cut(false);
                world.after(nanos, () -> {
                    cluster.way(from, to).heal();
                    nemesis.end(item);
                });
            }
        });
    }

    /** As if all machines had stood still, while their clocks did not. */
    private void years(long nanos) {
        world.leap(nanos);
        for (SimulatedNode node : cluster.nodes()) {
            Trouble.Item item = nemesis.begin(Fault.PAUSE, node);
            node.clock().leap(nanos);
            nemesis.end(item);
        }
        world.run(SETTLED_HEARTBEATS * heartbeat);
        cluster.nodes().stream().filter(node -> node.boots() > 0).forEach(nemesis::restart);
    }

    /**
     * All stop, so many seeds lose their stores and begin again while the others are away. If those are all seeds there are,
     * the others are back before they give up waiting for somebody who knows their cluster.
     */
    private void emptied(int seeds) {
        List<SimulatedNode> emptied = cluster.nodes().subList(0, seeds);
        if (!nemesis.mayBeEmptied(emptied.get(0))) {
            return;
        }
        for (SimulatedNode node : cluster.nodes()) {
            if (node.isRunning()) {
                Trouble.Item item = nemesis.begin(emptied.contains(node) ? Fault.WIPE : Fault.POWER_CUT, node, null);
                node.crash();
                world.after(random.nextLong(20 * heartbeat), () -> nemesis.end(item));
            }
        }
        for (SimulatedNode node : emptied) {
            if (nemesis.mayBeEmptied(node)) {
                nemesis.lost();
                cluster.replaceStore(node, null);
            }
            node.start();
        }
        boolean isInTime = seeds > 1 || breadth.has(Breadth.Kind.ONE_SEED);
        long awayMax = isInTime ? cluster.options().shortest(ProtocolConfig::failoverAfter) / 3 : 20 * heartbeat;
        for (SimulatedNode node : cluster.nodes()) {
            world.after(1 + random.nextLong(awayMax), () -> nemesis.restart(node));
        }
        if (isInTime) {
            nemesis.openWays();
            world.run(2 * cluster.options().failoverNanos());
        }
    }
}
