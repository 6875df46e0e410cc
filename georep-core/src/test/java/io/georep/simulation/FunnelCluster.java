package io.georep.simulation;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.Topology;
import io.georep.linear.Operation.Kind;
import io.georep.model.ProtocolConfig;
import java.time.Duration;
import java.util.random.RandomGenerator;

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
            return of(seed, nodes, 1);
        }

        /** All times of the map are so many times as long. */
        static Shape of(long seed, int nodes, int slower) {
            FunnelSettings d = FunnelSettings.defaults();
            FunnelSettings quick = new FunnelSettings(
                    1_000,
                    16L << 20,
                    1 << 20,
                    200,
                    20,
                    100,
                    Duration.ofNanos(LEASE).multipliedBy(slower),
                    d.clockRateError(),
                    Duration.ofSeconds(slower),
                    Duration.ofSeconds(4L * slower),
                    Duration.ofSeconds(2L * slower),
                    Duration.ofMillis(200L * slower),
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
        /** A leader is believed though more than half of the peers do not say that they are in its term. */
        ONE_PEER_IS_ENOUGH,
        /** Repetitions have new numbers. */
        NEW_OPERATION_NUMBERS
    }

    private final FunnelWing maps;
    private final RandomGenerator random;

    FunnelCluster(Shape shape) {
        super(
                shape.seed,
                shape.network,
                ProtocolConfig.builder().heartbeatAway(Duration.ofSeconds(2)).build());
        random = world.random("machines");
        maps = host(new FunnelWing(this, shape, random));
        for (int i = 1; i <= shape.nodes; i++) {
            machine(i, shape.drifts ? (random.nextBoolean() ? 9_900 : -9_900) : 0);
        }
    }

    @Override
    FunnelCluster self() {
        return this;
    }

    FunnelWing maps() {
        return maps;
    }

    FunnelMaster master() {
        return maps.master();
    }

    FunnelJudge judge() {
        return maps.judge();
    }

    FunnelMachine machine(SimulatedNode node) {
        return maps.machine(node);
    }

    /** Whether a node may read a clean key from memory. */
    boolean serves(int number) {
        SimulatedNode node = node(number);
        return machine(node).mirror().isReadable(FunnelJudge.key("k"), node.clock());
    }

    FunnelCluster start() {
        nodes.forEach(SimulatedNode::start);
        return pass(4);
    }

    /** All ways are open again, also those to the master. */
    @Override
    FunnelCluster join() {
        super.join();
        maps.master().heal();
        return this;
    }

    /** What is only in memory is lost, and perhaps the rest: see {@link #mayCrash}. */
    @Override
    public void crash(SimulatedNode node) {
        super.crash(node);
        if (maps.shape().isVolatile()) {
            replaceStore(node, random.nextBoolean() ? node.disk().image() : null);
        }
    }

    /** Where only memory is written, another node must have everything. */
    @Override
    public boolean mayCrash(SimulatedNode node) {
        return !maps.shape().isVolatile() || maps.mayLose(node, true);
    }

    /** Does something on a node and waits for the end of the attempt. */
    FunnelCall doNow(int node, FunnelCall call) {
        judge().attempt(call, node(node));
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
