package io.georep.simulation;

import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.Input;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Machines that are numbered from 1, the network between them, and the wings on them.
 *
 * @param <S> the cluster itself
 */
abstract class NumberedNodes<S extends NumberedNodes<S>> implements FaultTarget {
    final World world;
    final SimulatedNetwork network;
    final List<SimulatedNode> nodes = new ArrayList<>();
    private final ProtocolConfig config;
    private final List<Wing> wings = new ArrayList<>();
    private final Set<SimulatedNode> dead = new HashSet<>();
    private final Set<SimulatedNode> leaving = new HashSet<>();
    private final Trouble trouble;
    private final Coverage coverage = new Coverage();

    NumberedNodes(long seed, SimulatedNetwork.Settings settings, ProtocolConfig config) {
        world = new World(seed);
        network = new SimulatedNetwork(world, settings);
        network.defaultDelay(5 * World.MILLIS, 5 * World.MILLIS);
        this.config = config;
        trouble = new Trouble(world);
    }

    abstract S self();

    /** All machines have this wing; none was added yet. */
    final <W extends Wing> W host(W wing) {
        wings.add(wing);
        return wing;
    }

    @Override
    public final List<Wing> wings() {
        return wings;
    }

    @Override
    public final Trouble trouble() {
        return trouble;
    }

    @Override
    public final Coverage coverage() {
        return coverage;
    }

    @Override
    public void crash(SimulatedNode node) {
        node.crash();
    }

    @Override
    public final void resume(SimulatedNode node) {
        node.resume();
    }

    @Override
    public final void bury(SimulatedNode node) {
        dead.add(node);
        replaceStore(node, null);
    }

    @Override
    public final SimulatedNode add() {
        return machine(nodes.size() + 1, 0);
    }

    @Override
    public final void leave(SimulatedNode node, Duration away) {
        leaving.add(node);
        node.command(MembershipProtocol.CHANNEL, new MembershipCommand.Leave(away));
    }

    @Override
    public final boolean isLeaving(SimulatedNode node) {
        return leaving.contains(node);
    }

    /** Operators remove the dead. */
    final void removeDead() {
        for (SimulatedNode operator : nodes) {
            if (operator.isRunning()) {
                dead.forEach(
                        each -> operator.command(MembershipProtocol.CHANNEL, new MembershipCommand.Remove(each.id())));
            }
        }
    }

    /** Everybody runs, also who stopped only after the end of all trouble. */
    final void startAll() {
        nodes.stream().filter(node -> !node.isRunning() && !dead.contains(node)).forEach(SimulatedNode::start);
    }

    @Override
    public final void replaceStore(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        wings.forEach(wing -> wing.destroyed(node, image));
        node.disk().wipe();
        if (image != null) {
            node.disk().restore(image);
        }
    }

    final SimulatedNode machine(int number, int driftPpm) {
        NodeId id = NodeId.of("n" + number);
        SimulatedNode node = new SimulatedNode(
                world,
                network,
                new SimulatedNode.Machine(id, id + ":1", "s" + (number + 1) / 2, List.of("n1:1", "n2:1")),
                this::install,
                new SimulatedDisk.Speed(20_000, 400_000, 200_000),
                new Pace(20_000, 16, 0),
                driftPpm);
        node.observer(new Observer());
        nodes.add(node);
        wings.forEach(wing -> wing.joins(node));
        return node;
    }

    private NodeSoftware.Protocols install(NodeSoftware.Boot boot) {
        Membership membership = new Membership(
                config, new LocalNode(boot.id(), boot.address(), boot.site(), List.copyOf(boot.seeds())));
        List<HostedProtocol> protocols = new ArrayList<>();
        wings.forEach(wing -> protocols.addAll(wing.install(boot, membership)));
        return new NodeSoftware.Protocols(membership, protocols);
    }

    /** Tells all wings. */
    private final class Observer implements NodeObserver {
        private void each(Consumer<Wing> told) {
            wings.forEach(told);
        }

        @Override
        public void booting(SimulatedNode node) {
            leaving.remove(node);
            each(wing -> wing.booting(node));
        }

        @Override
        public void started(SimulatedNode node) {
            each(wing -> wing.started(node));
        }

        @Override
        public void turning(SimulatedNode node, List<Input> inputs) {
            each(wing -> wing.turning(node, inputs));
        }

        @Override
        public void turned(SimulatedNode node) {
            each(wing -> wing.turned(node));
        }

        @Override
        public void events(SimulatedNode node, List<Object> events) {
            each(wing -> wing.events(node, events));
            if (events.stream().anyMatch(MembershipEvent.Left.class::isInstance)) {
                stopSoon(node);
            }
        }

        @Override
        public void closed(SimulatedNode node) {
            each(wing -> wing.closed(node));
        }

        @Override
        public void stopped(SimulatedNode node) {
            each(wing -> wing.stopped(node));
        }
    }

    private void stopSoon(SimulatedNode node) {
        int boot = node.boots();
        world.after(50 * World.MILLIS, () -> {
            if (node.isRunning() && node.boots() == boot) {
                node.stop();
            }
        });
    }

    @Override
    public final World world() {
        return world;
    }

    @Override
    public final SimulatedNetwork network() {
        return network;
    }

    @Override
    public final List<SimulatedNode> nodes() {
        return nodes;
    }

    @Override
    public boolean isDead(SimulatedNode node) {
        return dead.contains(node);
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
