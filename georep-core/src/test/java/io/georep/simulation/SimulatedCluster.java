package io.georep.simulation;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.OutboxAudit;
import io.georep.outbox.OutboxProtocol;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.runtime.StoreWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Machines with production nodes, their applications, the network between them and the consumer behind them. */
final class SimulatedCluster {
    private final SimulationOptions options;
    private final World world;
    private final SimulatedNetwork network;
    private final History history = new History();
    private final Consumer consumer;
    private final Invariants invariants;
    private final Trouble trouble;
    private final List<Host> hosts = new ArrayList<>();
    private final List<String> queues = new ArrayList<>();
    private final RandomGenerator random;
    private boolean healed;

    SimulatedCluster(SimulationOptions options) {
        this.options = options;
        world = new World(options.seed());
        random = world.random("cluster");
        consumer = new Consumer(world);
        trouble = new Trouble(world);
        network = new SimulatedNetwork(world, options.network());
        network.defaultDelay(options.delayNanos(), options.jitterNanos());
        invariants = new Invariants(this);
        network.tap(invariants);
        for (int i = 0; i < options.queues(); i++) {
            queues.add("q" + i);
        }
        for (int i = 1; i <= options.nodes(); i++) {
            hosts.add(host(i));
        }
    }

    private Host host(int number) {
        String address = "n" + number + ":1";
        Host host = new Host(this, invariants);
        SimulatedNode.Machine machine =
                new SimulatedNode.Machine(NodeId.of("n" + number), address, "s" + number, List.of("n1:1", "n2:1"));
        int drift = options.driftPpm() == 0 ? 0 : random.nextInt(-options.driftPpm(), options.driftPpm() + 1);
        host.node(new SimulatedNode(world, network, machine, this::install, options.disk(), options.pace(), drift));
        return host;
    }

    private NodeSoftware.Protocols install(NodeSoftware.Boot boot) {
        SimulationOptions.Rules rules = options.rules();
        ProtocolConfig config = options.config();
        Membership membership = new Membership(
                config,
                new LocalNode(boot.id(), boot.address(), boot.site(), List.copyOf(boot.seeds())),
                rules.lifeSigns());
        OutboxProtocol outbox = rules.removesOnReturn()
                ? OutboxAudit.removingOnReturn(config, membership, rules.selection())
                : new OutboxProtocol(config, membership, rules.selection());
        return new NodeSoftware.Protocols(membership, List.of(outbox), StoreWatch.Limits.of(config));
    }

    SimulationOptions options() {
        return options;
    }

    World world() {
        return world;
    }

    SimulatedNetwork network() {
        return network;
    }

    History history() {
        return history;
    }

    Consumer consumer() {
        return consumer;
    }

    Invariants invariants() {
        return invariants;
    }

    Trouble trouble() {
        return trouble;
    }

    List<Host> hosts() {
        return hosts;
    }

    List<String> queues() {
        return queues;
    }

    Host host(NodeId id) {
        for (Host host : hosts) {
            if (host.id().equals(id)) {
                return host;
            }
        }
        throw new IllegalArgumentException("no node " + id);
    }

    /** Time between threads of a process. */
    long hopNanos() {
        return random.nextLong(50_000);
    }

    /** Whether trouble is over for good. */
    boolean isHealed() {
        return healed;
    }

    void heal() {
        healed = true;
    }

    Way way(Host from, Host to) {
        return network.way(from.node().address(), to.node().address());
    }

    /** A process is gone without a word. */
    void crash(Host host) {
        host.node().crash();
        host.leaving = false;
    }

    /** The store of a machine that does not run is replaced, by an empty one when there is no image. */
    void replaceStore(Host host, SimulatedDisk.Image image) {
        history.destroyed(host.node().disk(), image, this::copies);
        host.storeReplaced();
        host.node().disk().wipe();
        if (image != null) {
            host.node().disk().restore(image);
        }
    }

    /** A machine that does not run will never run again. */
    void bury(Host host) {
        history.destroyed(host.node().disk(), null, this::copies);
        host.dead = true;
    }

    /** How many running nodes have a copy of an entry that would survive a crash at this moment. */
    private int copies(EntryId id) {
        return (int) hosts.stream()
                .filter(host -> host.isRunning() && host.view().find(id) != null && Invariants.isDurableAt(host, id))
                .count();
    }
}
