package io.georep.simulation;

import static java.util.stream.Collectors.toSet;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.StoreException;
import io.georep.outbox.core.OutboxView;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipProtocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * The language of scenario tests: a cluster of production nodes, numbered from 1, to which things happen step by step.
 * All invariants are checked on the way. Owners are chosen in the order of numbers. Applications take nothing until
 * {@link #consume}.
 */
final class Scenario {
    static final Duration T_S = Duration.ofSeconds(5);
    static final Duration T_X = Duration.ofSeconds(10);

    private final SimulatedCluster cluster;
    private final OutboxWing outbox;
    private final World world;

    private Scenario(SimulatedCluster cluster) {
        this.cluster = cluster;
        outbox = cluster.wing(OutboxWing.class);
        world = cluster.world();
        outbox.hosts().forEach(host -> host.idle = true);
    }

    /** Nodes with quick settings, started and acquainted. */
    static Scenario of(int nodes) {
        return of(nodes, settings -> settings);
    }

    /** Nodes with some settings of their own, started and acquainted. */
    static Scenario of(int nodes, UnaryOperator<ProtocolConfig.Builder> settings) {
        return of(nodes, settings, SimulationOptions.Rules.fixed(nodes));
    }

    /** Nodes with other settings and rules, started and acquainted. */
    static Scenario of(int nodes, UnaryOperator<ProtocolConfig.Builder> settings, SimulationOptions.Rules rules) {
        return of(nodes, 1, settings, rules);
    }

    /** Nodes with several queues. */
    static Scenario of(
            int nodes, int queues, UnaryOperator<ProtocolConfig.Builder> settings, SimulationOptions.Rules rules) {
        return of(new SimulatedCluster(options(nodes, queues, settings, rules)));
    }

    static SimulationOptions options(
            int nodes, int queues, UnaryOperator<ProtocolConfig.Builder> settings, SimulationOptions.Rules rules) {
        ProtocolConfig.Builder builder = ProtocolConfig.builder()
                .heartbeatAway(Duration.ofSeconds(2))
                .suspectAfter(T_S)
                .terminateAfter(T_X)
                .reReplicateAfter(null);
        ProtocolConfig config = settings.apply(builder).build();
        SimulationOptions options = SimulationOptions.scenario(nodes, OutboxWing::new);
        options.machinesPerSite = 1;
        options.queues = queues;
        options.config = config;
        options.rules = rules;
        return options;
    }

    static Scenario of(SimulatedCluster cluster) {
        Scenario scenario = new Scenario(cluster);
        scenario.guarded(cluster::start);
        return scenario;
    }

    private Host host(int number) {
        return outbox.hosts().get(number - 1);
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (AssertionError | RuntimeException e) {
            throw new SimulationFailure(cluster, e);
        }
    }

    // --- time

    Scenario pass(Duration time) {
        guarded(() -> world.run(time.toNanos()));
        return this;
    }

    /** Long enough for silent nodes to be given up, their entries to be adopted, and some heartbeats. */
    Scenario passFailover() {
        return pass(T_S.plus(T_X).plusSeconds(5));
    }

    boolean within(Duration limit, BooleanSupplier condition) {
        boolean[] came = new boolean[1];
        guarded(() -> came[0] = world.runUntil(condition, limit.toNanos()));
        return came[0];
    }

    // --- producers and consumers

    /** Puts an entry and does not wait for the answer. */
    History.Put send(int node, int f, int queue) {
        return send(node, f, queue, put -> {});
    }

    private History.Put send(int node, int f, int queue, Consumer<History.Put> change) {
        Host host = host(node);
        History.Put put = outbox.history()
                .put(host.id(), host.node().boots(), outbox.queues().get(queue), f, world.now());
        change.accept(put);
        host.application().put(List.of(put));
        return put;
    }

    /** Puts an entry and waits for the answer. */
    History.Put put(int node, int f) {
        return put(node, f, 0);
    }

    /** Puts an entry into a queue and waits for the answer. */
    History.Put put(int node, int f, int queue) {
        return answered(send(node, f, queue));
    }

    /** Puts an entry with some properties of its own and waits for the answer. */
    History.Put put(int node, int f, Consumer<History.Put> change) {
        return answered(send(node, f, 0, change));
    }

    private History.Put answered(History.Put put) {
        within(Duration.ofSeconds(10), () -> put.answer != History.Answer.OPEN);
        return put;
    }

    /** The application of a node takes entries from now on. */
    Scenario consume(int node) {
        host(node).idle = false;
        if (host(node).isRunning()) {
            host(node).application().open();
        }
        return this;
    }

    /** The application of a node that does not run will take nothing when it starts. */
    Scenario rest(int node) {
        host(node).idle = true;
        return this;
    }

    /** Which nodes forwarded an entry, in this order. */
    List<Integer> forwarders(History.Put put) {
        List<Integer> nodes = new ArrayList<>();
        if (put.id != null) {
            outbox.history().entry(put.id).deliveries.forEach(delivery -> nodes.add(number(delivery.node)));
        }
        return nodes;
    }

    // --- looking

    private static int number(NodeId id) {
        return Integer.parseInt(id.value().substring(1));
    }

    private OutboxView.Held held(int node, History.Put put) {
        return host(node).isRunning() && put.id != null ? host(node).view().find(put.id) : null;
    }

    /** The state of an entry at a node, null where it is not. */
    EntryState state(int node, History.Put put) {
        OutboxView.Held held = held(node, put);
        return held == null ? null : held.state();
    }

    /** Whether a node keeps an entry back until others have answered. */
    boolean isHeldBack(int node, History.Put put) {
        OutboxView.Held held = held(node, put);
        return held != null && held.heldBack();
    }

    /** The running nodes that hold an entry in this state. */
    Set<Integer> nodesIn(EntryState state, History.Put put) {
        return IntStream.rangeClosed(1, outbox.hosts().size())
                .filter(node -> state(node, put) == state)
                .boxed()
                .collect(toSet());
    }

    /** The running nodes that have an entry to forward. */
    Set<Integer> holders(History.Put put) {
        return nodesIn(EntryState.HELD, put);
    }

    /** The running nodes that have a copy only. */
    Set<Integer> copies(History.Put put) {
        return nodesIn(EntryState.COPY, put);
    }

    /** How a node sees another one. */
    PeerState view(int node, int of) {
        return host(node).membership().find(host(of).id()).state();
    }

    /** The nodes that ever adopted the only entry of this entry's queue. */
    Set<Integer> adopters(History.Put put) {
        return outbox.history().adopters(put.queue).stream()
                .map(Scenario::number)
                .collect(toSet());
    }

    /** Entries live at a node. */
    long liveAt(int node) {
        return host(node).view().liveCount();
    }

    /** Entries a node holds that have fewer than f + 1 copies as far as it knows. */
    long shortOfCopies(int node) {
        return host(node).view().shortOfCopies();
    }

    SimulatedCluster cluster() {
        return cluster;
    }

    OutboxWing outbox() {
        return outbox;
    }

    // --- trouble with nodes

    private SimulatedNode begin(Fault kind, int node) {
        cluster.trouble().begin(kind, node(node).id(), null);
        return node(node);
    }

    private SimulatedNode node(int number) {
        return cluster.node(number);
    }

    Scenario crash(int... nodes) {
        for (int node : nodes) {
            begin(Fault.CRASH, node).crash();
        }
        return this;
    }

    Scenario start(int... nodes) {
        for (int node : nodes) {
            guarded(() -> node(node).start());
        }
        return this;
    }

    /** It will never come back. */
    Scenario die(int node) {
        crash(node);
        cluster.bury(node(node));
        return this;
    }

    /** The store of a node that does not run is gone. */
    Scenario loseStore(int node) {
        cluster.replaceStore(node(node), null);
        return this;
    }

    SimulatedDisk.Image imageOf(int node) {
        return node(node).disk().image();
    }

    /** The store of a node that does not run is what it was. */
    Scenario restore(int node, SimulatedDisk.Image image) {
        cluster.replaceStore(node(node), image);
        return this;
    }

    Scenario diskFull(int node, boolean full) {
        begin(Fault.DISK_FULL, node).disk().full(full);
        return this;
    }

    /** The disk of a node, which is in trouble of this kind from now on. */
    SimulatedDisk disk(int node, Fault kind) {
        return begin(kind, node).disk();
    }

    /** What ended the last process that gave its store up, null when none did. */
    StoreException failure(int node) {
        return node(node).failure();
    }

    Scenario pause(int node) {
        begin(Fault.PAUSE, node).pause();
        return this;
    }

    Scenario resume(int node) {
        node(node).resume();
        return this;
    }

    Scenario stepClock(int node, Duration by) {
        node(node).clock().step(by.toMillis());
        return this;
    }

    // --- operators

    /** A node says GOODBYE for so long and stops. */
    Scenario leave(int node, Duration away) {
        cluster.leave(begin(Fault.LEAVE, node), away);
        within(Duration.ofSeconds(10), () -> !host(node).isRunning());
        return this;
    }

    Scenario drain(int node) {
        begin(Fault.DRAIN, node)
                .command(
                        MembershipProtocol.CHANNEL,
                        new MembershipCommand.Drain(node(node).id(), true));
        return this;
    }

    Scenario remove(int operator, int node) {
        NodeId removed = begin(Fault.REMOVE, node).id();
        node(operator).command(MembershipProtocol.CHANNEL, new MembershipCommand.Remove(removed));
        return this;
    }

    // --- trouble with the network

    /** Nothing gets from one node to the other; the way back stays open. */
    Scenario cut(int from, int to) {
        cluster.trouble().begin(Fault.ONE_WAY, node(from).id(), node(to).id());
        cluster.way(from, to).cut(false);
        return this;
    }

    Scenario heal(int from, int to) {
        cluster.way(from, to).heal();
        return this;
    }

    /** Nothing gets across between these nodes and all others. */
    Scenario split(int... side) {
        across(true, side);
        return this;
    }

    Scenario join(int... side) {
        across(false, side);
        return this;
    }

    private void across(boolean cut, int... side) {
        Set<Integer> these = IntStream.of(side).boxed().collect(toSet());
        for (int a : side) {
            for (int b = 1; b <= outbox.hosts().size(); b++) {
                if (!these.contains(b) && cut) {
                    cut(a, b).cut(b, a);
                } else if (!these.contains(b)) {
                    heal(a, b).heal(b, a);
                }
            }
        }
    }

    // --- the end

    /** Everything is repaired, everybody alive comes back and consumes: every promise must come true. */
    void settle() {
        guarded(() -> {
            cluster.trouble().endAll(60 * World.SECONDS);
            Simulation.nemesis(cluster).heal();
            for (int node = 1; node <= outbox.hosts().size(); node++) {
                if (host(node).idle) {
                    consume(node);
                }
            }
            cluster.heal();
            outbox.settled();
        });
    }
}
