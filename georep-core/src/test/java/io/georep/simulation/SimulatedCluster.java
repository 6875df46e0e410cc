package io.georep.simulation;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.core.OutboxAudit;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.runtime.StoreWatch;
import io.georep.spi.PeerSelection;
import io.georep.tally.TallyProtocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Machines with production nodes, their applications, the network between them and the consumer behind them. */
final class SimulatedCluster implements FaultTarget {
    private final SimulationOptions options;
    private final World world;
    private final SimulatedNetwork network;
    private final History history = new History();
    private final Consumer consumer;
    private final Invariants invariants;
    private final Trouble trouble;
    private final Tallies tallies = new Tallies();
    private final List<Host> hosts = new ArrayList<>();
    private final List<SimulatedNode> nodes = new ArrayList<>();

    /** Who lives beside the outbox. */
    private final List<Wing> wings = new ArrayList<>();

    private final List<String> queues = new ArrayList<>();
    private final RandomGenerator random;
    private final Coverage coverage = new Coverage();
    private final OutboxFaults outboxFaults = new OutboxFaults(this);
    private java.util.function.Consumer<Host> joined = host -> {};
    private boolean healed;

    /** Null when nobody wants to read what happens. */
    private final Transcript transcript;

    SimulatedCluster(SimulationOptions options) {
        this(options, 0);
    }

    /** A cluster of which the last turns are written down, this many. */
    SimulatedCluster(SimulationOptions options, int turnsWritten) {
        this.options = options;
        world = new World(options.seed());
        transcript = turnsWritten == 0 ? null : new Transcript(world::now, turnsWritten);
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
        if (options.breadth().has(Breadth.Kind.WINGS)) {
            wings.addAll(Wings.all(this, options));
        }
        coverage.wing(Coverage.OUTBOX, history::successes);
        wings.forEach(wing -> coverage.wing(wing.name(), wing::successes));
        options.breadth().kinds().forEach(coverage::met);
        for (int i = 1; i <= options.nodes(); i++) {
            hosts.add(host(i));
        }
        if (options.breadth().has(Breadth.Kind.WAYS)) {
            unlikeWays(world.random("ways"));
        }
    }

    /** Near and far neighbours, quick and slow lines; the way back is another one. */
    private void unlikeWays(RandomGenerator draw) {
        long longest = options.config().heartbeat().toNanos() / 4;
        for (Host from : hosts) {
            for (Host to : hosts) {
                if (from != to) {
                    long delay = 1 + draw.nextLong(1 + draw.nextLong(longest));
                    way(from, to).delay(delay, draw.nextBoolean() ? 0 : draw.nextLong(delay));
                    way(from, to).bandwidth(draw.nextInt(3) == 0 ? draw.nextLong(10_000) : 8);
                }
            }
        }
    }

    private Host host(int number) {
        String address = "n" + number + ":1";
        Host host = new Host(this, invariants, options.config(number));
        SimulatedNode.Machine machine = new SimulatedNode.Machine(
                NodeId.of("n" + number), address, options.site(number), List.of("n1:1", "n2:1"));
        int drift = options.driftPpm() == 0 ? 0 : random.nextInt(-options.driftPpm(), options.driftPpm() + 1);
        NodeSoftware software = boot -> install(boot, number);
        host.node(new SimulatedNode(world, network, machine, software, options.disk(), options.pace(), drift));
        host.node().disk().pairsMax(options.breadth().pairsMax());
        nodes.add(host.node());
        wings.forEach(wing -> wing.joins(host.node()));
        if (options.breadth().has(Breadth.Kind.SOFTWARE)) {
            Tomorrow tomorrow = new Tomorrow(world.random("tomorrow " + number));
            host.node().hearing(frame -> isOfTomorrow(frame.from().id()) ? tomorrow.frame(frame) : frame);
        }
        return host;
    }

    /** Whether this node speaks as one of a later release. */
    private boolean isOfTomorrow(NodeId id) {
        return world.random("release of " + id).nextBoolean();
    }

    private NodeSoftware.Protocols install(NodeSoftware.Boot boot, int number) {
        SimulationOptions.Rules rules = options.rules();
        ProtocolConfig config = options.config(number);
        Membership membership = new Membership(
                config,
                new LocalNode(boot.id(), boot.address(), boot.site(), List.copyOf(boot.seeds())),
                rules.lifeSigns());
        List<HostedProtocol<?>> others = new ArrayList<>();
        others.add(outbox(config, membership, options.selection(number)));
        wings.forEach(wing -> others.addAll(wing.install(boot, membership)));
        if (options.breadth().has(Breadth.Kind.SOFTWARE)) {
            int version = world.random("software " + boot.id()
                            + hosts.get(number - 1).node().boots())
                    .nextInt(3);
            if (version > 0) {
                others.add(new TallyProtocol(Tallies.CHANNEL, version, membership));
            }
        }
        return new NodeSoftware.Protocols(
                membership,
                others,
                StoreWatch.Limits.of(config),
                protocol -> transcript == null ? protocol : transcript.of(boot.id(), protocol));
    }

    private OutboxProtocol outbox(ProtocolConfig config, Membership membership, PeerSelection selection) {
        Breadth breadth = options.breadth();
        if (options.rules().removesOnReturn()) {
            return OutboxAudit.removingOnReturn(config, membership, selection);
        }
        return breadth.has(Breadth.Kind.SPLITS)
                ? OutboxAudit.splittingEarly(
                        config, membership, selection, breadth.rangesMax(), breadth.snapshotAfterBytes())
                : new OutboxProtocol(config, membership, selection);
    }

    SimulationOptions options() {
        return options;
    }

    /** What is written down, null when nothing is. */
    Transcript transcript() {
        return transcript;
    }

    @Override
    public World world() {
        return world;
    }

    @Override
    public List<SimulatedNode> nodes() {
        return nodes;
    }

    @Override
    public boolean isDead(SimulatedNode node) {
        return host(node.id()).dead;
    }

    @Override
    public List<Wing> wings() {
        return wings;
    }

    @Override
    public Coverage coverage() {
        return coverage;
    }

    private Host host(SimulatedNode node) {
        return host(node.id());
    }

    @Override
    public void crash(SimulatedNode node) {
        crash(host(node));
    }

    @Override
    public void resume(SimulatedNode node) {
        host(node).resume();
    }

    @Override
    public void replaceStore(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        replaceStore(host(node), image);
    }

    @Override
    public void bury(SimulatedNode node) {
        bury(host(node));
    }

    @Override
    public SimulatedNode add() {
        Host host = host(hosts.size() + 1);
        hosts.add(host);
        joined.accept(host);
        return host.node();
    }

    /** Who is told of each machine that is added later. */
    void joined(java.util.function.Consumer<Host> told) {
        joined = told;
    }

    @Override
    public void leave(SimulatedNode node, Duration away) {
        host(node).leave(away);
    }

    @Override
    public boolean isLeaving(SimulatedNode node) {
        return host(node).leaving;
    }

    @Override
    public void removedWhileRunning(SimulatedNode node) {
        host(node).removedWhileRunning();
    }

    @Override
    public void toApplication(Fault kind, SimulatedNode node, Nemesis nemesis) {
        outboxFaults.happen(kind, host(node), nemesis);
    }

    @Override
    public void healed(SimulatedNode node) {
        outboxFaults.healed(host(node));
    }

    /** A queue that nobody used before, of which all applications take entries. */
    String newQueue() {
        String queue = "q" + queues.size();
        queues.add(queue);
        hosts.stream()
                .filter(host -> host.isRunning() && !host.idle)
                .forEach(host -> host.application().open(queue));
        return queue;
    }

    @Override
    public SimulatedNetwork network() {
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

    Tallies tallies() {
        return tallies;
    }

    @Override
    public Trouble trouble() {
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
        tallies.storeReplaced(host);
        wings.forEach(wing -> wing.destroyed(host.node(), image));
        host.node().disk().wipe();
        if (image != null) {
            host.node().disk().restore(image);
        }
    }

    /** A machine that does not run will never run again. */
    void bury(Host host) {
        history.destroyed(host.node().disk(), null, this::copies);
        wings.forEach(wing -> wing.destroyed(host.node(), null));
        host.dead = true;
    }

    /** How many running nodes have a copy of an entry that would survive a crash at this moment. */
    private int copies(EntryId id) {
        return (int) hosts.stream()
                .filter(host -> host.isRunning() && host.view().find(id) != null && Invariants.isDurableAt(host, id))
                .count();
    }
}
