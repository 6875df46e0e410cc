package io.georep.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * What goes wrong with numbered nodes and the ways between them, whatever protocol they run, and how it is repaired: each
 * trouble ends after a time that is drawn, and all of them when peace begins.
 *
 * @param <C> the cluster
 * @param <K> kinds of trouble
 */
abstract class NodeFaults<C extends NumberedNodes<C>, K extends Enum<K>> {
    final RandomGenerator random;
    final C cluster;
    final World world;
    private final List<K> kinds;
    private final long gapMax;
    private final long repairMax;
    private final Map<SimulatedNode, SimulatedDisk.Image> images = new HashMap<>();
    int lossesLeft;
    private boolean isPeace;

    /**
     * Plans nothing yet.
     *
     * @param kinds what may happen
     * @param gapMax the longest time between one trouble and the next, in nanoseconds
     * @param repairMax the longest trouble, in nanoseconds
     * @param losses how many stores may be lost
     */
    NodeFaults(C cluster, List<K> kinds, long gapMax, long repairMax, int losses, RandomGenerator random) {
        this.cluster = cluster;
        this.kinds = kinds;
        this.gapMax = gapMax;
        this.random = random;
        this.repairMax = repairMax;
        world = cluster.world();
        lossesLeft = losses;
    }

    /** Makes trouble. */
    abstract void happen(K kind, SimulatedNode node);

    /** Whether a node may lose its store now. */
    abstract boolean mayLose(SimulatedNode node);

    /** Whether a node that stopped comes back. */
    boolean comesBack(SimulatedNode node) {
        return true;
    }

    final List<K> kinds() {
        return kinds;
    }

    /** Plans the next one, and so on until peace. */
    final void plan() {
        if (!kinds.isEmpty()) {
            world.after(1 + random.nextLong(gapMax), () -> {
                if (!isPeace) {
                    K kind = kinds.get(random.nextInt(kinds.size()));
                    SimulatedNode node = any();
                    world.trace().note(world.now(), "fault", kind, node, null, 0);
                    happen(kind, node);
                    plan();
                }
            });
        }
    }

    final boolean isPeace() {
        return isPeace;
    }

    final SimulatedNode any() {
        return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }

    /** Ends a trouble, unless peace does. */
    final void later(Runnable end) {
        world.after(1 + random.nextLong(repairMax), () -> {
            if (!isPeace) {
                end.run();
            }
        });
    }

    final void crash(SimulatedNode node) {
        if (node.isRunning()) {
            node.crash();
            later(() -> restart(node));
        }
    }

    final void restart(SimulatedNode node) {
        if (!node.isRunning() && comesBack(node)) {
            node.start();
        }
    }

    /** Crashes a node whose disk is then empty, or as it was when this was called for the first time. */
    final void lose(SimulatedNode node, boolean isOldImage) {
        if (isOldImage && !images.containsKey(node)) {
            images.put(node, node.disk().image());
        } else if (lossesLeft > 0 && node.isRunning() && mayLose(node)) {
            lossesLeft--;
            node.crash();
            cluster.replaceStore(node, isOldImage ? images.remove(node) : null);
            later(() -> restart(node));
        }
    }

    final void pause(SimulatedNode node) {
        if (node.isRunning() && !node.isPaused()) {
            node.pause();
            later(() -> {
                if (node.isPaused()) {
                    node.resume();
                }
            });
        }
    }

    /** Its monotonic clock stands still as well. */
    final void suspend(SimulatedNode node) {
        if (node.isRunning() && !node.isPaused()) {
            node.clock().suspend(false);
            pause(node);
        }
    }

    final void fillDisk(SimulatedNode node) {
        node.disk().full(true);
        later(() -> node.disk().full(false));
    }

    final void breakDisk(SimulatedNode node) {
        node.disk().breakDown();
        later(() -> restart(node));
    }

    final void slowDisk(SimulatedNode node, SimulatedDisk.Speed speed) {
        node.disk().speed(speed);
        later(() -> node.disk().mend());
    }

    /** Cuts the nodes into two groups, which the lowest bits of a number name. */
    final void partition(long sides) {
        int nodes = cluster.nodes().size();
        for (int a = 1; a <= nodes; a++) {
            for (int b = 1; b < a; b++) {
                if (((sides >> a) & 1) != ((sides >> b) & 1)) {
                    cluster.cut(a, b);
                }
            }
        }
    }

    /** Everything is repaired, and everybody comes back, also who stops only now. */
    void heal() {
        isPeace = true;
        cluster.join();
        for (SimulatedNode node : cluster.nodes()) {
            node.disk().mend();
            if (node.isPaused()) {
                node.resume();
            }
            restart(node);
        }
        world.after(2 * World.SECONDS, () -> cluster.nodes().forEach(this::restart));
    }
}
