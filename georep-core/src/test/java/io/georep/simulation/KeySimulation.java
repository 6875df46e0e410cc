package io.georep.simulation;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/** One run: writes, deletions and reads in all kinds of trouble, then peace in which all nodes must agree. */
final class KeySimulation {
    private static final long TROUBLE = 60 * World.SECONDS;

    /** Longer than any node is away. */
    private static final Duration MARKS_KEPT = Duration.ofSeconds(90);

    private final RandomGenerator random;
    private final KeyCluster cluster;
    private final World world;
    private final KeyFaults faults;
    private final int keys;
    private final int fMax;
    private final long gap;
    private final boolean isMarkKeptLong;
    private long written;

    private KeySimulation(long seed) {
        random = new World(seed).random("key run");
        int nodes = 2 + random.nextInt(4);
        keys = 1 + random.nextInt(12);
        fMax = random.nextInt(Math.min(3, nodes));
        gap = 50 * World.MILLIS + random.nextLong(2 * World.SECONDS);
        SimulatedNetwork.Settings network = new SimulatedNetwork.Settings(
                200 * World.MILLIS,
                100 * World.MILLIS,
                World.SECONDS,
                256 << 10,
                16 << 20,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean());
        List<Fault> kinds = KeyFaults.draw(random);
        // A clock that is stepped while its node is down may end marks an hour early.
        isMarkKeptLong = kinds.contains(Fault.CLOCK_STEP);
        cluster = new KeyCluster(KeyCluster.Shape.of(seed, nodes)
                .settings(KeyCluster.SETTINGS.deletionsKept(isMarkKeptLong ? Duration.ofDays(1) : MARKS_KEPT))
                .network(network));
        world = cluster.world();
        faults = new KeyFaults(cluster, kinds, fMax, random);
    }

    /** Runs it; throws when a promise was broken. Answers what happened, on one line. */
    static String run(long seed) {
        KeySimulation simulation = new KeySimulation(seed);
        try {
            return simulation.run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + " " + simulation.faults.kinds() + " f " + simulation.fMax + ": " + e.getMessage()
                            + "\n  "
                            + String.join(
                                    "\n  ", simulation.cluster.world().trace().tail()),
                    e);
        }
    }

    private String run() {
        birth();
        for (int node = 1; node <= cluster.nodes().size(); node++) {
            planWork(node);
        }
        faults.plan();
        world.run(TROUBLE);
        faults.heal();
        world.run(60 * World.SECONDS);
        cluster.judge().settled();
        if (!isMarkKeptLong) {
            world.run(MARKS_KEPT.toNanos());
            cluster.judge().settled();
            cluster.judge().withoutMarks();
        }
        return "trace " + world.trace().hash() + " " + cluster.judge();
    }

    /**
     * All nodes start at once, but often some of them do not meet the others for a while: one alone, or each half. Not if seeds
     * may lose their stores before all have met: then the parts may become two clusters.
     */
    private void birth() {
        if (random.nextInt(3) > 0 && !faults.mayLoseStores()) {
            long sides =
                    random.nextBoolean() ? 2L << random.nextInt(cluster.nodes().size()) : random.nextLong();
            faults.partition(sides);
            faults.later(cluster::join);
        }
        cluster.nodes().forEach(SimulatedNode::start);
    }

    private void planWork(int node) {
        world.after(1 + random.nextLong(gap), () -> {
            if (!faults.isPeace()) {
                SimulatedNode machine = cluster.node(node);
                if (machine.isListening()) {
                    work(node);
                }
                planWork(node);
            }
        });
    }

    private void work(int node) {
        String key = "k" + random.nextInt(keys);
        if (random.nextInt(3) == 0) {
            cluster.judge().read(cluster.node(node), key);
            return;
        }
        int f = random.nextInt(fMax + 1);
        int changes = random.nextInt(4) == 0 ? 2 + random.nextInt(3) : 1;
        String[] keysAndValues = new String[2 * changes];
        for (int i = 0; i < changes; i++) {
            keysAndValues[2 * i] = i == 0 ? key : "k" + random.nextInt(keys);
            keysAndValues[2 * i + 1] = random.nextInt(3) == 0 ? null : "v" + written++;
        }
        cluster.write(node, f, keysAndValues);
    }

    /** Runs seeds from the command line: {@code first count}. */
    public static void main(String[] arguments) {
        Seeds.run(arguments, KeySimulation::run);
    }
}
