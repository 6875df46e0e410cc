package io.georep.simulation;

import io.georep.funnel.Topology;
import io.georep.linear.Operation.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** One run: clients of a replicated map in all kinds of trouble, then peace in which everything must come to an end. */
final class FunnelSimulation {
    private static final long WARM_UP = 1 * World.SECONDS;
    private static final long TROUBLE = 6 * World.SECONDS;
    private static final long PEACE = 20 * World.SECONDS;
    private static final int ATTEMPTS_MAX = 6;
    private static final int BURST_MAX = 20;

    private final RandomGenerator random;
    private final FunnelCluster cluster;
    private final World world;
    private final List<FunnelFaults.Trouble> kinds;
    private final FunnelFaults faults;
    private final List<String> values = new ArrayList<>();
    private final int keys;
    private final long gap;
    private final boolean isLarge;

    /** One value of so many has a time to live. */
    private final int mortal;

    /** One call of so many is one of a burst. */
    private final int bursts;

    private boolean over;

    private FunnelSimulation(long seed, FunnelCluster.Flaw flaw, boolean isVolatile) {
        random = new World(seed).random("funnel run");
        int nodes = 1 + random.nextInt(5);
        int founders = 1 + random.nextInt(nodes);
        keys = 1 + random.nextInt(3);
        gap = 20 * World.MILLIS + random.nextLong(600 * World.MILLIS);
        isLarge = random.nextInt(8) == 0;
        int losses = random.nextInt(nodes);
        mortal = random.nextInt(6) == 0 ? 2 : 8;
        bursts = random.nextInt(3) == 0 ? 5 : 40;
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
        cluster.loses(random.nextInt(6) == 0 ? 10 : 0);
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
        for (int client = 1; client <= 4; client++) {
            new Client(client).plan();
        }
        faults.plan();
        world.run(TROUBLE);
        over = true;
        faults.heal();
        for (long left = PEACE; left > 0 && !cluster.judge().isSettled(); left -= World.SECONDS / 4) {
            world.run(World.SECONDS / 4);
        }
        cluster.judge().settled();
    }

    /** Does one thing after the other; repeats what has no outcome, if it has numbers for it. */
    private final class Client {
        private final String name;
        private long operations;

        /** Calls that are not over. */
        private int running;

        Client(int number) {
            name = "c" + number;
        }

        void plan() {
            world.after(1 + random.nextLong(gap), () -> {
                if (!over) {
                    begin();
                }
            });
        }

        /** Makes one call, or many at one node at one time. */
        private void begin() {
            running = random.nextInt(bursts) == 0 ? 2 + random.nextInt(BURST_MAX) : 1;
            SimulatedNode node = faults.any();
            for (int left = running; left > 0; left--) {
                FunnelCall call = draw(
                        running > 1 && random.nextInt(4) > 0
                                ? "b" + random.nextInt(BURST_MAX)
                                : "k" + random.nextInt(keys));
                if (call.kind != Kind.READ && random.nextInt(3) > 0) {
                    call.client = name;
                    call.operation = ++operations;
                }
                call.topology = Topology.values()[random.nextInt(Topology.values().length)];
                call.afterwards = () -> ended(call);
                attempt(call, node);
            }
        }

        private void attempt(FunnelCall call, SimulatedNode node) {
            if (node.isListening()) {
                cluster.judge().attempt(call, node);
            } else {
                world.after(100 * World.MILLIS, () -> again(call));
            }
        }

        private void again(FunnelCall call) {
            if (!over) {
                attempt(call, faults.any());
            }
        }

        private void ended(FunnelCall call) {
            boolean isRepeated =
                    !call.isOver && call.attempts < ATTEMPTS_MAX && (call.client != null || !call.isInDoubt);
            if (isRepeated) {
                world.after(1 + random.nextLong(400 * World.MILLIS), () -> again(call));
            } else if (--running == 0) {
                plan();
            }
        }

        private FunnelCall draw(String key) {
            int what = random.nextInt(20);
            if (what < 10) {
                return new FunnelCall(Kind.READ, key, null, null);
            } else if (what < 12) {
                return new FunnelCall(Kind.REMOVE, key, null, null);
            }
            String expected =
                    values.isEmpty() ? "none" : values.get(Math.max(0, values.size() - 1 - random.nextInt(4)));
            String value = "<" + values.size() + name + ">";
            values.add(value);
            if (what < 14) {
                return new FunnelCall(Kind.REPLACE, key, value, expected);
            }
            FunnelCall call = new FunnelCall(what < 16 ? Kind.PUT_IF_ABSENT : Kind.PUT, key, value, null);
            call.padding = isLarge && random.nextInt(4) == 0 ? random.nextInt(200_000) : random.nextInt(100);
            call.timeToLiveMillis = random.nextInt(mortal) == 0 ? 200 + random.nextInt(2_000) : 0;
            return call;
        }
    }

    /** Runs seeds from the command line: {@code first count}. */
    public static void main(String[] arguments) {
        Seeds.run(arguments, FunnelSimulation::run);
    }
}
