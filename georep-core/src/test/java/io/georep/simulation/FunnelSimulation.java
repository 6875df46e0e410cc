package io.georep.simulation;

import java.util.List;
import java.util.random.RandomGenerator;

/** One run: clients of a replicated map in all kinds of trouble, then peace in which everything must come to an end. */
final class FunnelSimulation {
    private static final long WARM_UP = 1 * World.SECONDS;
    private static final long TROUBLE = 6 * World.SECONDS;
    private static final long PEACE = 20 * World.SECONDS;

    private final RandomGenerator random;
    private final FunnelCluster cluster;
    private final World world;
    private final List<FunnelFaults.Trouble> kinds;
    private final FunnelFaults faults;

    private FunnelSimulation(long seed, FunnelCluster.Flaw flaw, boolean isVolatile) {
        random = new World(seed).random("funnel run");
        int nodes = 1 + random.nextInt(5);
        int founders = 1 + random.nextInt(nodes);
        FunnelClients.Load load = FunnelClients.Load.draw(random);
        int losses = random.nextInt(nodes);
        boolean isTight = random.nextInt(4) == 0;
        SimulatedNetwork.Settings network = new SimulatedNetwork.Settings(
                200 * World.MILLIS,
                50 * World.MILLIS,
                500 * World.MILLIS,
                isTight ? 2 << 10 : 256 << 10,
                isTight ? 8 << 10 : 16 << 20,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean());
        kinds = FunnelFaults.draw(random);
        FunnelCluster.Shape shape = FunnelCluster.Shape.of(seed, nodes);
        shape = shape.founders(founders).network(network).flaw(flaw);
        shape = isVolatile ? shape.volatileStores() : shape;
        if (kinds.contains(FunnelFaults.Trouble.FLOOD)) {
            shape = shape.settings(shape.settings().uncommitted(FunnelFaults.FLOOD_UNCOMMITTED, 20));
        }
        shape = kinds.contains(FunnelFaults.Trouble.CLOCK_STEP) ? shape.stepping() : shape;
        shape = shape.settings(shape.settings().commitOnChain(random.nextInt(4) == 0));
        cluster = new FunnelCluster(random.nextBoolean() ? shape.drifting() : shape);
        cluster.maps().loses(random.nextInt(6) == 0 ? 10 : 0);
        cluster.maps().load(load, random);
        world = cluster.world();
        faults = new FunnelFaults(cluster, kinds, losses, random);
    }

    /** Runs it; throws when a promise was broken. Returns what happened, on one line. */
    static String run(long seed) {
        return run(seed, FunnelCluster.Flaw.NONE);
    }

    /** The same with a mistake put in. */
    static String run(long seed, FunnelCluster.Flaw flaw) {
        return simulate(seed, flaw).summary();
    }

    /** The same with stores from which a crash may take everything. */
    static String runVolatile(long seed) {
        return simulate(seed, FunnelCluster.Flaw.NONE, true).summary();
    }

    static FunnelSimulation simulate(long seed, FunnelCluster.Flaw flaw) {
        return simulate(seed, flaw, false);
    }

    private static FunnelSimulation simulate(long seed, FunnelCluster.Flaw flaw, boolean isVolatile) {
        FunnelSimulation simulation = new FunnelSimulation(seed, flaw, isVolatile);
        try {
            simulation.run();
            return simulation;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + " " + simulation.cluster.nodes().size() + " nodes " + simulation.kinds + ": "
                            + e.getMessage() + "\n  "
                            + String.join("\n  ", simulation.world.trace().tail()),
                    e);
        }
    }

    FunnelCluster cluster() {
        return cluster;
    }

    private String summary() {
        return "trace " + world.trace().hash() + " " + cluster.judge();
    }

    private void run() {
        cluster.nodes().forEach(SimulatedNode::start);
        world.run(WARM_UP);
        cluster.maps().begin();
        faults.plan();
        world.run(TROUBLE);
        cluster.maps().rest();
        faults.heal();
        for (long left = PEACE; left > 0 && !cluster.judge().isSettled(); left -= World.SECONDS / 4) {
            world.run(World.SECONDS / 4);
        }
        cluster.judge().settled();
    }

    /** Runs seeds from the command line: {@code first count}. */
    public static void main(String[] arguments) {
        Seeds.run(arguments, FunnelSimulation::run);
    }
}
