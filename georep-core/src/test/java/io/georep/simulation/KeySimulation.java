package io.georep.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** One run: writes, deletions and reads in all kinds of trouble, then peace in which all nodes must agree. */
final class KeySimulation {
    private static final long TROUBLE = 60 * World.SECONDS;
    /** Longer than any node is away. */
    private static final Duration MARKS_KEPT = Duration.ofSeconds(90);

    private static final long GAP_MAX = 8 * World.SECONDS;
    private static final long REPAIR_MAX = 20 * World.SECONDS;

    /** What does not concern applications of another wing. */
    private static final Set<Fault> KINDS = EnumSet.complementOf(EnumSet.of(
            Fault.CRASH_AFTER_ACCEPT, Fault.CRASH_ON_DUTY, Fault.SLOW_CONSUMER, Fault.REFUSE_ADOPTION, Fault.MOVE));

    static {
        KINDS.removeAll(Fault.DRAWN_WITH_ALL_WINGS);
    }

    private final RandomGenerator random;
    private final KeyCluster cluster;
    private final World world;
    private final List<Fault> kinds;
    private final Nemesis nemesis;
    private final int fMax;
    private final boolean isMarkKeptLong;

    private KeySimulation(long seed) {
        random = new World(seed).random("key run");
        int nodes = 2 + random.nextInt(4);
        KeyWing.Load load = KeyWing.Load.draw(random, nodes);
        fMax = load.fMax();
        SimulatedNetwork.Settings network = new SimulatedNetwork.Settings(
                200 * World.MILLIS,
                100 * World.MILLIS,
                World.SECONDS,
                256 << 10,
                16 << 20,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean());
        kinds = Fault.draw(KINDS, random, 3);
        // A clock that is stepped while its node is down may end marks an hour early, one that stood still ends them
        // late.
        isMarkKeptLong = kinds.contains(Fault.CLOCK_STEP) || kinds.contains(Fault.SUSPEND);
        cluster = new KeyCluster(KeyCluster.Shape.of(seed, nodes)
                .settings(KeyWing.quick().deletionsKept(isMarkKeptLong ? Duration.ofDays(1) : MARKS_KEPT))
                .network(network));
        cluster.keys().load(load, random);
        world = cluster.world();
        nemesis = new Nemesis(
                cluster, Nemesis.Plan.even(kinds, GAP_MAX, REPAIR_MAX, fMax, 3_600_000, 2 * World.SECONDS), random);
    }

    /** Runs it; throws when a promise was broken. Answers what happened, on one line. */
    static String run(long seed) {
        KeySimulation simulation = new KeySimulation(seed);
        try {
            return simulation.run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + " " + simulation.kinds + " f " + simulation.fMax + ": " + e.getMessage()
                            + "\n  "
                            + String.join(
                                    "\n  ", simulation.cluster.world().trace().tail()),
                    e);
        }
    }

    private String run() {
        nemesis.start();
        birth();
        cluster.keys().begin();
        world.run(TROUBLE);
        cluster.keys().rest();
        nemesis.heal();
        for (int wait = 0; wait < 3; wait++) {
            world.run(4 * World.SECONDS);
            cluster.startAll();
            cluster.removeDead();
        }
        world.run(60 * World.SECONDS);
        settle();
        if (!isMarkKeptLong) {
            world.run(MARKS_KEPT.toNanos());
            settle();
            cluster.judge().withoutMarks();
        }
        return "trace " + world.trace().hash() + " " + cluster.judge();
    }

    /** Nodes drop a mark at about the same moment only: the judge does not look in the middle of that (seed 9163). */
    private void settle() {
        for (int wait = 0; wait < 3 && cluster.judge().unsettled() != null; wait++) {
            world.run(World.SECONDS);
        }
        cluster.judge().settled();
    }

    /** All nodes start at once, but often some of them do not meet the others for a while: one alone, or each half. */
    private void birth() {
        if (random.nextInt(3) > 0) {
            int nodes = cluster.nodes().size();
            int sides = random.nextBoolean() ? 1 << random.nextInt(nodes) : random.nextInt();
            new LinkFaults(nemesis).partition(sides, false, 1 + random.nextLong(REPAIR_MAX));
        }
        cluster.nodes().forEach(SimulatedNode::start);
    }

    /** Runs seeds from the command line: {@code first count}. */
    public static void main(String[] arguments) {
        Seeds.run(arguments, KeySimulation::run);
    }
}
