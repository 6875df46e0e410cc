package io.georep.simulation;

import java.util.ArrayList;
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
     * @param causes duplicates by the kind of trouble that explains them
     * @param coverage which circumstances were met
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
            Map<Fault, Long> causes,
            Coverage coverage) {}

    /** Turns kept for a failure to choose from. */
    private static final int TURNS_WRITTEN = 20_000;

    /** Turns that a failure tells. */
    private static final int TURNS_TOLD = 30;

    private static final long HOUR_MILLIS = 3_600_000;
    private static final int DAY_HOURS = 24;

    /** One of so many puts is in a new queue, where names have no end. */
    private static final int NEW_QUEUES = 4;

    private static final int QUEUES_MAX = 30;

    private final SimulationOptions options;
    private final SimulatedCluster cluster;
    private final Nemesis nemesis;
    private final RandomGenerator random;
    private boolean producing = true;

    private Simulation(SimulationOptions options, int turnsWritten) {
        this.options = options;
        cluster = new SimulatedCluster(options, turnsWritten);
        nemesis = nemesis(cluster);
        RandomGenerator own = cluster.world().random("own troubles");
        for (Wing wing : cluster.wings()) {
            nemesis.with(wing.troubles(nemesis).stream()
                    .filter(kind -> !options.faults().isEmpty() && own.nextInt(4) == 0)
                    .toList());
        }
        random = cluster.world().random("producers");
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
        world.run(random.nextLong(5 * World.SECONDS));
        cluster.hosts().forEach(this::planPut);
        cluster.wings().forEach(Wing::begin);
        for (int era = 1; era < options.breadth().eras(); era++) {
            trouble();
            new Closure(cluster).pause();
        }
        trouble();
        producing = false;
        cluster.heal();
        cluster.wings().forEach(Wing::rest);
        Closure closure = new Closure(cluster);
        Map<Fault, Long> causes = closure.run();
        closure.judgeWings();
        return result(causes);
    }

    /** For the cluster and its options. */
    static Nemesis nemesis(SimulatedCluster cluster) {
        return new Nemesis(cluster, plan(cluster.options()), cluster.world().random("faults"));
    }

    private static Nemesis.Plan plan(SimulationOptions options) {
        boolean isLong = options.breadth().has(Breadth.Kind.ABSENCE);
        return new Nemesis.Plan(
                List.copyOf(options.faults()),
                2 * options.faultGapNanos(),
                random -> spell(options, isLong, random),
                options.lossesMax(),
                random -> (isLong && random.nextBoolean() ? 3 * DAY_HOURS : 1) * HOUR_MILLIS,
                options.config().storeFailAfter().toNanos() / 3,
                2 * options.failoverNanos(),
                options.breadth().has(Breadth.Kind.WINGS));
    }

    /** A time of any length that matters: below suspicion, between, beyond giving up, or beyond all memory. */
    private static long spell(SimulationOptions options, boolean isLong, RandomGenerator random) {
        if (isLong && random.nextInt(4) == 0) {
            return 1 + random.nextLong(3 * options.config().tombstoneLife().toNanos());
        }
        long suspect = options.config().suspectAfter().toNanos();
        long longest = switch (random.nextInt(3)) {
            case 0 -> suspect;
            case 1 -> options.failoverNanos();
            default -> 2 * options.failoverNanos() + suspect;
        };
        return 1 + random.nextLong(longest);
    }

    private void trouble() {
        if (options.breadth().has(Breadth.Kind.ERAS)) {
            int most = options.failures().stream().reduce(1, Math::max);
            nemesis.losses(1 + nemesis.random.nextInt(most));
        }
        nemesis.start();
        cluster.world().run(options.durationNanos() / options.breadth().eras());
        nemesis.heal();
    }

    private void planPut(Host host) {
        cluster.world().after(1 + random.nextLong(2 * options.putGapNanos()), () -> {
            if (producing) {
                if (host.isRunning() && host.node().isListening()) {
                    put(host);
                }
                planPut(host);
            }
        });
    }

    private void put(Host host) {
        List<History.Put> puts = new ArrayList<>();
        for (int i = 1 + random.nextInt(options.putBatchMax()); i > 0; i--) {
            boolean isNew = options.breadth().has(Breadth.Kind.NAMES)
                    && cluster.queues().size() < QUEUES_MAX
                    && random.nextInt(NEW_QUEUES) == 0;
            String queue = isNew
                    ? cluster.newQueue()
                    : cluster.queues().get(random.nextInt(cluster.queues().size()));
            int f = options.failures().get(random.nextInt(options.failures().size()));
            History.Put put = cluster.history()
                    .put(
                            host.id(),
                            host.node().boots(),
                            queue,
                            f,
                            cluster.world().now());
            put.prepared = options.preparedPercent() > 0 && random.nextInt(100) < options.preparedPercent();
            puts.add(put);
        }
        host.application().put(puts);
        cluster.tallies().add(host);
    }

    private Result result(Map<Fault, Long> causes) {
        long acknowledged = cluster.history().puts().stream()
                .filter(put -> put.answer == History.Answer.STORED)
                .count();
        long duplicates = cluster.history().entries().stream()
                .mapToLong(entry -> Math.max(0, entry.deliveries.size() - 1))
                .sum();
        World world = cluster.world();
        return new Result(
                options.seed(),
                world.trace().hash(),
                world.steps(),
                cluster.history().puts().size(),
                acknowledged,
                cluster.history().entries().size(),
                duplicates,
                cluster.invariants().copiesSent(),
                cluster.history().puts().stream()
                        .filter(put -> put.answer == History.Answer.STORED)
                        .mapToLong(put -> put.f)
                        .sum(),
                causes,
                cluster.coverage());
    }
}
