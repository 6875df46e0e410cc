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
import io.georep.runtime.StoreWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Machines numbered from 1 with production nodes, the network between them, and the wings that live there. */
final class SimulatedCluster implements Machines, NodeObserver {
    /**
     * A process said it would be away.
     *
     * @param incarnation of that process
     * @param saidAt when
     * @param awayNanos for how long; 0 for good
     */
    record Absence(long incarnation, long saidAt, long awayNanos) {}

    private final SimulationOptions options;
    private final World world;
    private final SimulatedNetwork network;
    private final Trouble trouble;
    private final PeerJudge peers;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Map<NodeId, SimulatedNode> byName = new HashMap<>();
    private final LimitedNodes limited = new LimitedNodes(this);
    private final List<? extends Wing> wings;
    private final Map<SimulatedNode, List<Absence>> absences = new HashMap<>();
    private final Set<SimulatedNode> leaving = new HashSet<>();
    private final Set<SimulatedNode> dead = new HashSet<>();
    private final RandomGenerator random;
    private final RandomGenerator clients;
    private final Coverage coverage = new Coverage();
    private boolean healed;

    /** Null when nobody wants to read what happens. */
    private final Transcript transcript;

    SimulatedCluster(SimulationOptions options) {
        this(options, 0);
    }

    /** A cluster of which the last turns are written down, this many. */
    SimulatedCluster(SimulationOptions options, int turnsWritten) {
        this.options = options;
        world = new World(options.seed);
        transcript = turnsWritten == 0 ? null : new Transcript(world::now, turnsWritten);
        random = world.random("cluster");
        clients = world.random("producers");
        trouble = new Trouble(world);
        network = new SimulatedNetwork(world, options.network);
        network.defaultDelay(options.delayNanos, options.jitterNanos);
        peers = new PeerJudge(this);
        network.tap(peers);
        wings = options.wings.apply(this);
        wings.forEach(wing -> coverage.wing(wing.name(), wing::successes));
        options.breadth.kinds().forEach(coverage::met);
        for (int i = 1; i <= options.nodes; i++) {
            add();
        }
        if (options.breadth.has(Breadth.Kind.WAYS)) {
            unlikeWays(world.random("ways"));
        }
    }

    /** Near and far neighbours, quick and slow lines; the way back is another one. */
    private void unlikeWays(RandomGenerator draw) {
        long longest = options.config.heartbeat().toNanos() / 4;
        eachWay((from, to) -> {
            long delay = 1 + draw.nextLong(1 + draw.nextLong(longest));
            way(from, to).delay(delay, draw.nextBoolean() ? 0 : draw.nextLong(delay));
            way(from, to).bandwidth(draw.nextInt(3) == 0 ? draw.nextLong(10_000) : 8);
        });
    }

    /** A machine with a name of its own, which runs nothing yet. */
    SimulatedNode add() {
        int number = nodes.size() + 1;
        NodeId id = NodeId.of("n" + number);
        SimulatedNode node = new SimulatedNode(
                world,
                network,
                new SimulatedNode.Machine(id, id + ":1", options.site(number), List.of("n1:1", "n2:1")),
                boot -> install(boot, number),
                options.disk,
                options.pace,
                options.driftPpm == 0 ? 0 : drift(options.driftPpm));
        node.observer(this);
        node.disk().pairsMax(options.breadth.pairsMax());
        nodes.add(node);
        byName.put(id, node);
        limited.joins(node, number, Tomorrow.heard(this, number));
        wings.forEach(wing -> wing.joins(node));
        return node;
    }

    private int drift(int most) {
        if (options.isDriftFull) {
            return random.nextBoolean() ? most : -most;
        }
        return random.nextInt(-most, most + 1);
    }

    private NodeSoftware.Protocols install(NodeSoftware.Boot boot, int number) {
        ProtocolConfig config = config(node(number));
        Membership membership = new Membership(
                config, new LocalNode(boot.id(), boot.address(), boot.site(), List.copyOf(boot.seeds())));
        List<HostedProtocol<?>> hosted = new ArrayList<>();
        wings.forEach(wing -> hosted.addAll(wing.install(boot, membership)));
        return new NodeSoftware.Protocols(
                membership,
                hosted,
                StoreWatch.Limits.of(config),
                protocol -> transcript == null ? protocol : transcript.of(boot.id(), protocol));
    }

    SimulationOptions options() {
        return options;
    }

    /** Settings of the present boot of a node. */
    ProtocolConfig config(SimulatedNode node) {
        return options.config(1 + nodes.indexOf(node), node.boots());
    }

    /** What is written down, null when nothing is. */
    Transcript transcript() {
        return transcript;
    }

    PeerJudge peers() {
        return peers;
    }

    /** Who may not decide over others. */
    LimitedNodes limited() {
        return limited;
    }

    /** Which circumstances were met. */
    Coverage coverage() {
        return coverage;
    }

    /** What went wrong so far. */
    Trouble trouble() {
        return trouble;
    }

    /** Who lives there. */
    List<? extends Wing> wings() {
        return wings;
    }

    boolean hasOutbox() {
        return wings.get(0) instanceof OutboxWing;
    }

    /** The wing of this type. */
    <W extends Wing> W wing(Class<W> type) {
        return wings.stream().filter(type::isInstance).map(type::cast).findAny().orElseThrow();
    }

    @Override
    public World world() {
        return world;
    }

    @Override
    public SimulatedNetwork network() {
        return network;
    }

    @Override
    public List<SimulatedNode> nodes() {
        return nodes;
    }

    @Override
    public SimulatedNode node(NodeId id) {
        SimulatedNode node = byName.get(id);
        if (node == null) {
            throw new IllegalArgumentException("no node " + id);
        }
        return node;
    }

    @Override
    public boolean isDead(SimulatedNode node) {
        return dead.contains(node);
    }

    /** What is drawn for those who use it. */
    RandomGenerator clients() {
        return clients;
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

    // --- what a nemesis, or a story, does to it

    /** Whether a process may go without a word now. */
    boolean mayCrash(SimulatedNode node) {
        return wings.stream().allMatch(wing -> wing.mayCrash(node));
    }

    /** The store of a machine that does not run is replaced, by an empty one when there is no image. */
    void replaceStore(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        wings.forEach(wing -> wing.destroyed(node, image));
        node.disk().wipe();
        if (image != null) {
            node.disk().restore(image);
        }
    }

    /** A machine that does not run will never run again. */
    void bury(SimulatedNode node) {
        wings.forEach(wing -> wing.destroyed(node, null));
        dead.add(node);
    }

    /** A process says GOODBYE; 0 for good. */
    void leave(SimulatedNode node, Duration away) {
        leaving.add(node);
        absences(node)
                .add(new Absence(node.protocols().membership().self().incarnation(), world.now(), away.toNanos()));
        wings.forEach(wing -> wing.leaving(node));
        node.command(MembershipProtocol.CHANNEL, new MembershipCommand.Leave(away));
    }

    /** Whether it said so and has not ended. */
    boolean isLeaving(SimulatedNode node) {
        return leaving.contains(node);
    }

    /** What its processes said about being away. */
    List<Absence> absences(SimulatedNode node) {
        return absences.computeIfAbsent(node, none -> new ArrayList<>());
    }

    /** Whether nobody finds the others but through it. */
    boolean isOnlySeed(SimulatedNode node) {
        return options.breadth.has(Breadth.Kind.ONE_SEED) && node == nodes.get(0);
    }

    /** An operator at this node removes the dead. */
    void removeDead(SimulatedNode operator) {
        for (SimulatedNode node : nodes) {
            if (dead.contains(node)) {
                operator.command(MembershipProtocol.CHANNEL, new MembershipCommand.Remove(node.id()));
            }
        }
    }

    /** Everybody but the dead runs, also who stopped only after the end of all trouble. */
    List<SimulatedNode> startAll() {
        List<SimulatedNode> alive =
                nodes.stream().filter(node -> !dead.contains(node)).toList();
        alive.stream().filter(node -> !node.isRunning()).forEach(SimulatedNode::start);
        return alive;
    }

    /** Two machines, of which one may speak to the other. */
    @FunctionalInterface
    interface Pair {
        void accept(SimulatedNode from, SimulatedNode to);
    }

    void eachWay(Pair does) {
        for (SimulatedNode from : nodes) {
            nodes.stream().filter(to -> from != to).forEach(to -> does.accept(from, to));
        }
    }

    Way way(SimulatedNode from, SimulatedNode to) {
        return network.way(from.address(), to.address());
    }

    // --- in stories

    SimulatedNode node(int number) {
        return nodes.get(number - 1);
    }

    Way way(int from, int to) {
        return way(node(from), node(to));
    }

    SimulatedCluster pass(double seconds) {
        world.run((long) (seconds * World.SECONDS));
        return this;
    }

    SimulatedCluster start() {
        startAll();
        return pass(5);
    }

    SimulatedCluster cut(int from, int to) {
        way(from, to).cut(false);
        way(to, from).cut(false);
        return this;
    }

    /** All ways are open again, and what else wings suffer is over. */
    SimulatedCluster join() {
        eachWay((from, to) -> way(from, to).heal());
        wings.forEach(Wing::healed);
        return this;
    }

    // --- what happens on the machines

    @Override
    public void booting(SimulatedNode node) {
        leaving.remove(node);
        peers.booting(node);
        wings.forEach(wing -> wing.booting(node));
    }

    @Override
    public void started(SimulatedNode node) {
        peers.started(node);
        wings.forEach(wing -> wing.started(node));
    }

    @Override
    public void turning(SimulatedNode node, List<Input> inputs) {
        wings.forEach(wing -> wing.turning(node, inputs));
        peers.turning(node, inputs);
    }

    @Override
    public void turned(SimulatedNode node) {
        peers.turned(node);
        wings.forEach(wing -> wing.turned(node));
    }

    @Override
    public void events(SimulatedNode node, List<Object> events) {
        wings.forEach(wing -> wing.events(node, events));
        peers.events(node, events);
        if (events.stream().anyMatch(MembershipEvent.Left.class::isInstance)) {
            node.later(50 * World.MILLIS, () -> {
                if (leaving.contains(node)) {
                    node.stop();
                }
            });
        }
    }

    @Override
    public void closed(SimulatedNode node) {
        wings.forEach(wing -> wing.closed(node));
    }

    @Override
    public void stopped(SimulatedNode node) {
        wings.forEach(wing -> wing.stopped(node));
        if (healed && !dead.contains(node)) {
            // A disk may be given up in the moment it is mended.
            world.after(World.SECONDS, () -> {
                if (!node.isRunning()) {
                    node.start();
                }
            });
        }
    }
}
