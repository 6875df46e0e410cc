package io.georep.simulation;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** One run: clients of a replicated map in all kinds of trouble, then peace in which everything must come to an end. */
final class FunnelSimulation {
    private static final long WARM_UP = 1 * World.SECONDS;
    private static final long TROUBLE = 6 * World.SECONDS;
    private static final long PEACE = 20 * World.SECONDS;
    private static final long GAP_MAX = 2 * World.SECONDS;
    private static final long REPAIR_MAX = 4 * World.SECONDS;
    private static final long DISK_SLOW_MAX = 100 * World.MILLIS;
    private static final long STEP_MAX_MILLIS = 5_000;
    private static final int FLOODED_RUNS = 100;

    /** What does not concern applications of another wing, or takes longer than a run. */
    private static final Set<Fault> KINDS = EnumSet.complementOf(EnumSet.of(
            Fault.CRASH_AFTER_ACCEPT,
            Fault.CRASH_ON_DUTY,
            Fault.SLOW_CONSUMER,
            Fault.REFUSE_ADOPTION,
            Fault.MOVE,
            Fault.DEATH,
            Fault.REMOVE,
            Fault.LEAVE,
            Fault.DRAIN,
            Fault.ORDERS));

    /** Without the ends of processes that stores survive. */
    private static final Set<Fault> VOLATILE_KINDS = EnumSet.copyOf(KINDS);

    static {
        VOLATILE_KINDS.removeAll(EnumSet.of(Fault.STOP, Fault.DISK_ERROR, Fault.DISK_HANG, Fault.WRONG_IMAGE));
    }

    private final RandomGenerator random;
    private final FunnelCluster cluster;
    private final World world;
    private final List<Fault> kinds;
    private final Nemesis nemesis;

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
        kinds = Fault.draw(isVolatile ? VOLATILE_KINDS : KINDS, random, 4);
        boolean isFlooded = random.nextInt(FLOODED_RUNS) == 0;
        FunnelCluster.Shape shape = FunnelCluster.Shape.of(seed, nodes);
        shape = shape.founders(founders).network(network).flaw(flaw);
        shape = isVolatile ? shape.volatileStores() : shape;
        if (isFlooded) {
            shape = shape.settings(shape.settings().uncommitted(FunnelTroubles.FLOOD_UNCOMMITTED, 20));
        }
        shape = kinds.contains(Fault.CLOCK_STEP) ? shape.stepping() : shape;
        shape = shape.settings(shape.settings().commitOnChain(random.nextInt(4) == 0));
        cluster = new FunnelCluster(random.nextBoolean() ? shape.drifting() : shape);
        cluster.maps().loses(random.nextInt(6) == 0 ? 10 : 0);
        cluster.maps().load(load, random);
        world = cluster.world();
        nemesis = new Nemesis(
                cluster, Nemesis.Plan.even(kinds, GAP_MAX, REPAIR_MAX, losses, STEP_MAX_MILLIS, DISK_SLOW_MAX), random);
        FunnelTroubles own = new FunnelTroubles(cluster.maps(), nemesis);
        nemesis.with(own.all().stream().filter(kind -> random.nextInt(4) == 0).toList());
        nemesis.with(isFlooded ? List.of(own.flood()) : List.of());
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
        nemesis.start();
        world.run(TROUBLE);
        cluster.maps().rest();
        nemesis.heal();
        world.after(2 * World.SECONDS, cluster::startAll);
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
