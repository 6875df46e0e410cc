package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.model.ProtocolConfig;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipProtocol;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Processes that an operator removed and that live on with their clients, some of them out of reach at first. In the end each meets
 * all others, is told, goes on for a while, and is started anew with its store, as the manual says.
 */
final class RemovedAlive {
    /** Redials come within a minute. */
    private static final long DIALLED_WITHIN = 90 * World.SECONDS;

    private final Nemesis nemesis;
    private final SimulatedCluster cluster;

    /** The boots that were removed and run. */
    private final Map<SimulatedNode, Integer> boots = new LinkedHashMap<>();

    RemovedAlive(Nemesis nemesis) {
        this.nemesis = nemesis;
        cluster = nemesis.cluster;
    }

    private boolean isOne(SimulatedNode node) {
        return node.isRunning() && boots.getOrDefault(node, 0) == node.boots();
    }

    /** Somebody removes a node that works. */
    void happen(SimulatedNode node) {
        List<SimulatedNode> others = cluster.running().stream()
                .filter(other -> other != node && other.isListening() && !isOne(other))
                .toList();
        List<SimulatedNode> operators = others.stream()
                .filter(other -> !cluster.limited().contains(other))
                .toList();
        if (!node.isListening()
                || isOne(node)
                || others.size() < 2
                || operators.isEmpty()
                || cluster.isOnlySeed(node)
                || cluster.isLeaving(node)) {
            return;
        }
        SimulatedNode operator = operators.get(nemesis.random.nextInt(operators.size()));
        Trouble.Item item = nemesis.begin(Fault.LIVE_ON, node);
        long apart = nemesis.random.nextBoolean() ? nemesis.spell() : 0;
        if (apart > 0) {
            int side = 1 << cluster.nodes().indexOf(node);
            new LinkFaults(nemesis).partition(side, nemesis.random.nextBoolean(), apart);
        }
        cluster.wings().forEach(wing -> wing.removing(node));
        boots.put(node, node.boots());
        operator.command(MembershipProtocol.CHANNEL, new MembershipCommand.Remove(node.id()));
        if (nemesis.random.nextInt(3) == 0) { // the others live on until all trouble is over
            nemesis.later(item, apart + nemesis.spell() + nemesis.spell(), () -> again(node));
        }
    }

    private void again(SimulatedNode node) {
        if (isOne(node)) {
            node.stop();
            nemesis.restart(node);
        }
        boots.remove(node);
    }

    /** All trouble is over: who lives on meets the others. */
    void meet() {
        boots.keySet().removeIf(node -> !isOne(node));
        if (boots.isEmpty()) {
            return;
        }
        World world = cluster.world();
        boolean areTold = world.runUntil(
                () -> boots.keySet().stream().noneMatch(this::isUntold),
                cluster.options().failoverNanos() + DIALLED_WITHIN);
        check(areTold, "M23", () -> "nobody tells one of " + boots.keySet() + " that it was removed");
        world.run(1 + nemesis.random.nextLong(lingerMax()));
        List.copyOf(boots.keySet()).forEach(this::again);
    }

    /** Where tombstones live for a short time, until all have forgotten the removal; where nodes are up for hours, an hour. */
    private long lingerMax() {
        SimulationOptions options = cluster.options();
        if (options.breadth.has(Breadth.Kind.ABSENCE)) {
            return 3 * options.longest(ProtocolConfig::tombstoneLife);
        }
        return options.breadth.has(Breadth.Kind.UPTIME) ? 3600 * World.SECONDS : 2 * options.failoverNanos();
    }

    /** Whether somebody who may decide knows that it was removed, and the process does not. */
    private boolean isUntold(SimulatedNode node) {
        return isOne(node)
                && !node.protocols().membership().selfRemoved()
                && cluster.running().stream()
                        .filter(other -> other != node && !isOne(other))
                        .filter(other -> !cluster.limited().contains(other))
                        .anyMatch(other -> knows(other, node));
    }

    private static boolean knows(SimulatedNode other, SimulatedNode node) {
        Peer peer = other.protocols().membership().find(node.id());
        return peer != null
                && peer.removed()
                && peer.incarnation() >= node.protocols().membership().self().incarnation();
    }
}
