package io.georep.simulation;

import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** One run: trouble while only safety counts, then peace in which everything must come true. */
final class Simulation {
    /**
     * What a run was like.
     *
     * @param traceHash equal for equal runs
     * @param copiesSent payloads sent from node to node
     * @param copiesNeeded f for each acknowledged put
     * @param announced entries that were possibly sent when they were handed out for the first time, and had not failed
     * @param causes duplicates by the kind of trouble that explains them
     * @param coverage which circumstances were met
     * @param wings what became of each wing
     */
    record Result(
            long seed,
            long traceHash,
            long steps,
            long puts,
            long acknowledged,
            long entries,
            long duplicates,
            long copiesSent,
            long copiesNeeded,
            long announced,
            Map<Fault, Long> causes,
            Coverage coverage,
            String wings) {}

    /** Turns kept for a failure to choose from. */
    private static final int TURNS_WRITTEN = 20_000;

    /** Turns that a failure tells. */
    private static final int TURNS_TOLD = 30;

    private static final long HOUR_MILLIS = 3_600_000;
    private static final int DAY_HOURS = 24;

    private final SimulationOptions options;
    private final SimulatedCluster cluster;
    private final Nemesis nemesis;

    private Simulation(SimulationOptions options, int turnsWritten) {
        this.options = options;
        cluster = new SimulatedCluster(options, turnsWritten);
        nemesis = nemesis(cluster);
    }

    /** Runs it; throws {@link SimulationFailure} when something is wrong. */
    static Result run(SimulationOptions options) {
        Simulation simulation = new Simulation(options, 0);
        try {
            return simulation.run();
        } catch (AssertionError | RuntimeException e) {
            throw new SimulationFailure(simulation.cluster, e, lastTurns(options));
        }
    }

    /** Runs it once more and writes the last turns down: one seed is one run. */
    private static String lastTurns(SimulationOptions options) {
        Simulation again = new Simulation(options, TURNS_WRITTEN);
        try {
            again.run();
            return "(it did not fail again)";
        } catch (AssertionError | RuntimeException e) {
            return again.cluster.transcript().lastAbout(String.valueOf(e.getMessage()), TURNS_TOLD);
        }
    }

    private Result run() {
        World world = cluster.world();
        new Births(cluster, nemesis).start(nemesis.random);
        world.run(cluster.clients().nextLong(options.warmUpMax));
        cluster.wings().forEach(Wing::begin);
        for (int era = 1; era < options.breadth.eras(); era++) {
            trouble();
            cluster.wings().forEach(Wing::pause);
        }
        trouble();
        cluster.heal();
        cluster.wings().forEach(Wing::rest);
        cluster.wings().forEach(this::judge);
        return result();
    }

    /**
     * A wing has had as much time already as those before it needed. What the others wait for is that the dead are removed.
     */
    private void judge(Wing wing) {
        long patience =
                6 * options.failoverNanos() + 200 * options.config.heartbeat().toNanos() + 60 * World.SECONDS;
        long end = cluster.world().now() + (options.patienceNanos < 0 ? patience : options.patienceNanos);
        while (wing.unsettled() != null && cluster.world().now() < end) {
            cluster.startAll().forEach(cluster::removeDead);
            cluster.world().run(World.SECONDS / 4);
        }
        wing.settled();
    }

    /** For the cluster and its options. */
    static Nemesis nemesis(SimulatedCluster cluster) {
        return new Nemesis(cluster, plan(cluster.options()), cluster.world().random("faults"));
    }

    private static Nemesis.Plan plan(SimulationOptions options) {
        if (options.plan != null) {
            return options.plan;
        }
        boolean isLong = options.breadth.has(Breadth.Kind.ABSENCE);
        return new Nemesis.Plan(
                List.copyOf(options.faults),
                2 * options.faultGapNanos,
                random -> spell(options, isLong, random),
                options.lossesMax,
                random -> (isLong && random.nextBoolean() ? 3 * DAY_HOURS : 1) * HOUR_MILLIS,
                options.config.storeFailAfter().toNanos() / 3,
                2 * options.failoverNanos(),
                options.breadth.has(Breadth.Kind.WINGS));
    }

    /** A time of any length that matters: below suspicion, between, beyond giving up, or beyond all memory. */
    private static long spell(SimulationOptions options, boolean isLong, RandomGenerator random) {
        if (isLong && random.nextInt(4) == 0) {
            return 1 + random.nextLong(3 * options.config.tombstoneLife().toNanos());
        }
        long suspect = options.config.suspectAfter().toNanos();
        long longest = switch (random.nextInt(3)) {
            case 0 -> suspect;
            case 1 -> options.failoverNanos();
            default -> 2 * options.failoverNanos() + suspect;
        };
        return 1 + random.nextLong(longest);
    }

    private void trouble() {
        if (options.breadth.has(Breadth.Kind.ERAS)) {
            int most = options.failures.stream().reduce(1, Math::max);
            nemesis.losses(1 + nemesis.random.nextInt(most));
        }
        nemesis.start();
        cluster.world().run(options.durationNanos / options.breadth.eras());
        nemesis.heal();
    }

    private Result result() {
        OutboxWing outbox = cluster.hasOutbox() ? cluster.wing(OutboxWing.class) : new OutboxWing(cluster);
        List<History.Put> stored = outbox.history().puts().stream()
                .filter(put -> put.answer == History.Answer.STORED)
                .toList();
        World world = cluster.world();
        return new Result(
                options.seed,
                world.trace().hash(),
                world.steps(),
                outbox.history().puts().size(),
                stored.size(),
                outbox.history().entries().size(),
                outbox.history().entries().stream()
                        .mapToLong(entry -> Math.max(0, entry.deliveries.size() - 1))
                        .sum(),
                outbox.copiesSent(),
                stored.stream().mapToLong(put -> put.f).sum(),
                outbox.history().entries().stream()
                        .filter(entry -> entry.failures == 0
                                && !entry.deliveries.isEmpty()
                                && entry.deliveries.get(0).possiblySent)
                        .count(),
                outbox.causes(),
                cluster.coverage(),
                cluster.wings().toString());
    }
}
