package io.georep.simulation;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.FunnelAudit;
import io.georep.funnel.core.FunnelProtocol;
import io.georep.funnel.core.FunnelWatch;
import io.georep.linear.Operation.Kind;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Machines whose nodes have a replicated map, numbered from 1, and a master. Everything is watched by a {@link FunnelJudge}. */
final class FunnelCluster extends NumberedNodes<FunnelCluster> {
    static final long LEASE = World.SECONDS;

    /**
     * What a cluster is like.
     *
     * @param founders how many of the nodes are in the first view
     * @param drifts whether clocks run as wrong as is allowed
     * @param steps whether wall clocks are stepped
     * @param flaw a mistake that is put in, to see that it is noticed
     * @param isVolatile whether a crash may take away everything, so that no node waits for its store
     */
    record Shape(
            long seed,
            int nodes,
            int founders,
            FunnelSettings settings,
            SimulatedNetwork.Settings network,
            boolean drifts,
            boolean steps,
            Flaw flaw,
            boolean isVolatile) {
        static Shape of(long seed, int nodes) {
            FunnelSettings d = FunnelSettings.defaults();
            FunnelSettings quick = new FunnelSettings(
                    1_000,
                    16L << 20,
                    1 << 20,
                    200,
                    20,
                    100,
                    Duration.ofNanos(LEASE),
                    d.clockRateError(),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(4),
                    Duration.ofSeconds(2),
                    Duration.ofMillis(200),
                    12_500_000,
                    false);
            return new Shape(
                    seed, nodes, nodes, quick, SimulatedNetwork.Settings.defaults(), false, false, Flaw.NONE, false);
        }

        Shape founders(int count) {
            return new Shape(seed, nodes, count, settings, network, drifts, steps, flaw, isVolatile);
        }

        Shape settings(FunnelSettings other) {
            return new Shape(seed, nodes, founders, other, network, drifts, steps, flaw, isVolatile);
        }

        Shape network(SimulatedNetwork.Settings other) {
            return new Shape(seed, nodes, founders, settings, other, drifts, steps, flaw, isVolatile);
        }

        Shape drifting() {
            return new Shape(seed, nodes, founders, settings, network, true, steps, flaw, isVolatile);
        }

        Shape stepping() {
            return new Shape(seed, nodes, founders, settings, network, drifts, true, flaw, isVolatile);
        }

        Shape flaw(Flaw other) {
            return new Shape(seed, nodes, founders, settings, network, drifts, steps, other, isVolatile);
        }

        Shape volatileStores() {
            return new Shape(seed, nodes, founders, settings, network, drifts, steps, flaw, true);
        }
    }

    /** A mistake outside the protocol. */
    enum Flaw {
        NONE,
        /** Readers do not look at the lease. */
        READS_WITHOUT_LEASE,
        /** The master makes views without those whose lease has not ended. */
        HASTY_MASTER,
        /** Repetitions have new numbers. */
        NEW_OPERATION_NUMBERS
    }

    private final Shape shape;
    private final FunnelMaster master;
    private final Map<SimulatedNode, FunnelMachine> machines = new HashMap<>();
    private final Map<NodeId, Long> replacedIn = new HashMap<>();

    /** Nodes whose store is an older one since. */
    private final Set<NodeId> rolledBack = new HashSet<>();

    private final FunnelJudge judge;
    private int losses;
    private final RandomGenerator random;

    FunnelCluster(Shape shape) {
        super(shape.seed, shape.network);
        this.shape = shape;
        random = world.random("machines");
        List<NodeId> founders = new ArrayList<>();
        for (int i = 1; i <= shape.founders; i++) {
            founders.add(NodeId.of("n" + i));
        }
        long lease = shape.settings.lease().toNanos();
        master = new FunnelMaster(world, founders, lease, shape.flaw == Flaw.HASTY_MASTER);
        judge = new FunnelJudge(this);
        for (int i = 1; i <= shape.nodes; i++) {
            SimulatedNode node = machine(i);
            nodes.add(node);
            machines.put(node, new FunnelMachine(node, world, master, lease));
        }
    }

    private SimulatedNode machine(int number) {
        SimulatedNode node = machine(number, this::install, shape.drifts ? (random.nextBoolean() ? 9_900 : -9_900) : 0);
        node.observer(new NodeObserver() {
            @Override
            public void events(SimulatedNode of, List<Object> events) {
                machine(of).events(events);
                events.forEach(event -> judge.event(of, event));
            }

            @Override
            public void stopped(SimulatedNode of) {
                judge.stopped(of);
            }
        });
        return node;
    }

    private boolean losesNext() {
        return losses > 0 && random.nextInt(losses) == 0;
    }

    /** One report or commit of so many is lost; 0 for none. */
    void loses(int oneOf) {
        losses = oneOf;
    }

    private NodeSoftware.Protocols install(NodeSoftware.Boot boot) {
        ProtocolConfig config =
                ProtocolConfig.builder().heartbeatAway(Duration.ofSeconds(2)).build();
        Membership membership = new Membership(
                config, new LocalNode(boot.id(), boot.address(), boot.site(), List.copyOf(boot.seeds())));
        SimulatedNode node = nodes.stream()
                .filter(each -> each.id().equals(boot.id()))
                .findAny()
                .orElseThrow();
        FunnelMirror mirror = machine(node).boot();
        FunnelProtocol protocol = new FunnelProtocol(
                shape.settings, membership, mirror, shape.isVolatile ? Durability.MEMORY : Durability.FSYNC);
        return new NodeSoftware.Protocols(membership, List.of(new FunnelWatch(protocol, judge::hint, this::losesNext)));
    }

    @Override
    FunnelCluster self() {
        return this;
    }

    Shape shape() {
        return shape;
    }

    FunnelMaster master() {
        return master;
    }

    FunnelJudge judge() {
        return judge;
    }

    FunnelMachine machine(SimulatedNode node) {
        return machines.get(node);
    }

    /** Whether a node may read a clean key from memory. */
    boolean serves(int number) {
        SimulatedNode node = node(number);
        return machine(node).mirror().isReadable(FunnelJudge.key("k"), node.clock());
    }

    static FunnelProtocol protocol(SimulatedNode node) {
        return ((FunnelWatch) node.protocols().others().get(0)).protocol();
    }

    FunnelCluster start() {
        nodes.forEach(SimulatedNode::start);
        return pass(4);
    }

    /** All ways are open again, also those to the master. */
    @Override
    FunnelCluster join() {
        super.join();
        master.heal();
        return this;
    }

    @Override
    void replaceStore(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        judge.destroyed(node);
        replacedIn.put(node.id(), master.ledger().number());
        node.disk().wipe();
        rolledBack.remove(node.id());
        if (image != null) {
            rolledBack.add(node.id());
            node.disk().restore(image);
        }
    }

    /**
     * Whether a node may lose its store: another member has everything, in the process that it is a member by. With older stores
     * about, those that are lost count as such.
     */
    boolean mayLose(SimulatedNode node) {
        rolledBack.removeIf(this::hasEverything);
        return nodes.stream().anyMatch(each -> each != node && hasEverything(each.id()))
                && (rolledBack.isEmpty() || mayRollBack(List.of(node)));
    }

    private boolean hasEverything(NodeId node) {
        return FunnelAudit.isActive(master.ledger(), node)
                && FunnelAudit.since(master.ledger(), node) > replacedIn.getOrDefault(node, 0L);
    }

    /** Whether the stores of these nodes may become older ones at once: as many members are there that have everything. */
    boolean mayRollBack(List<SimulatedNode> some) {
        View view = master.view();
        if (view == null) {
            return false;
        }
        int wrong = 0;
        int right = 0;
        for (SimulatedNode node : nodes) {
            boolean isRight = hasEverything(node.id()) && !some.contains(node);
            if (view.members().contains(node.id())) {
                boolean isReplaced = some.contains(node) || replacedIn.containsKey(node.id());
                wrong += !isRight && isReplaced ? 1 : 0;
                right += isRight && node.isRunning() && master.isSure(node.id()) ? 1 : 0;
            }
        }
        return wrong <= right;
    }

    /** Does something on a node and waits for the end of the attempt. */
    FunnelCall doNow(int node, FunnelCall call) {
        judge.attempt(call, node(node));
        world.runUntil(() -> call.node == null || call.isOver, 20 * World.SECONDS);
        return call;
    }

    FunnelCall put(int node, String key, String value) {
        return doNow(node, new FunnelCall(Kind.PUT, key, value, null));
    }

    FunnelCall put(int node, String key, String value, Topology topology, int padding) {
        FunnelCall call = new FunnelCall(Kind.PUT, key, value, null);
        call.topology = topology;
        call.padding = padding;
        return doNow(node, call);
    }

    FunnelCall read(int node, String key) {
        return doNow(node, new FunnelCall(Kind.READ, key, null, null));
    }
}
