package io.georep.simulation;

import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Machines that are numbered from 1, and the network between them.
 *
 * @param <S> the cluster itself
 */
abstract class NumberedNodes<S extends NumberedNodes<S>> {
    final World world;
    final SimulatedNetwork network;
    final List<SimulatedNode> nodes = new ArrayList<>();

    NumberedNodes(long seed, SimulatedNetwork.Settings settings) {
        world = new World(seed);
        network = new SimulatedNetwork(world, settings);
        network.defaultDelay(5 * World.MILLIS, 5 * World.MILLIS);
    }

    abstract S self();

    /** A node does not run, and its disk becomes an empty one, or an older one if there is one. */
    abstract void replaceStore(SimulatedNode node, SimulatedDisk.@Nullable Image image);

    final SimulatedNode machine(int number, NodeSoftware software, int driftPpm) {
        NodeId id = NodeId.of("n" + number);
        return new SimulatedNode(
                world,
                network,
                new SimulatedNode.Machine(id, id + ":1", "s" + (number + 1) / 2, List.of("n1:1", "n2:1")),
                software,
                new SimulatedDisk.Speed(20_000, 400_000, 200_000),
                new Pace(20_000, 16, 0),
                driftPpm);
    }

    final World world() {
        return world;
    }

    final SimulatedNetwork network() {
        return network;
    }

    final List<SimulatedNode> nodes() {
        return nodes;
    }

    final SimulatedNode node(int number) {
        return nodes.get(number - 1);
    }

    final Way way(int from, int to) {
        return network.way(node(from).address(), node(to).address());
    }

    final S pass(double seconds) {
        world.run((long) (seconds * World.SECONDS));
        return self();
    }

    final S cut(int from, int to) {
        way(from, to).cut(false);
        way(to, from).cut(false);
        return self();
    }

    /** All ways are open again. */
    S join() {
        for (SimulatedNode from : nodes) {
            for (SimulatedNode to : nodes) {
                if (from != to) {
                    network.way(from.address(), to.address()).heal();
                }
            }
        }
        return self();
    }
}
