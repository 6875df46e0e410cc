package io.georep.simulation;

import io.georep.flagons.core.FleetWing;
import io.georep.geopaxos.core.GeoWing;
import io.georep.keys.KeySpaceSettings;
import io.georep.rumour.RumourWing;
import io.georep.tally.TallyWing;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** All wings of the house, with clients that are drawn for the seed: together, or one of them alone. A new one is added here. */
final class Wings {
    private static final int FLOODED_RUNS = 25;

    /** What does not concern applications of the outbox, nor makes a run long. */
    private static final Set<Fault> KEY_KINDS = allBut(EnumSet.of(Fault.MOVE));

    /** Nor takes longer than a run of seconds. */
    private static final Set<Fault> MAP_KINDS =
            allBut(EnumSet.of(Fault.MOVE, Fault.REMOVE, Fault.LEAVE, Fault.DRAIN, Fault.ORDERS));

    /** Of processes that stores survive. */
    private static final Set<Fault> ENDS = EnumSet.of(Fault.STOP, Fault.DISK_ERROR, Fault.DISK_HANG, Fault.WRONG_IMAGE);

    private static final List<Breadth.Kind> BIRTHS_OF_FLEETS = List.of(
            Breadth.Kind.HALVES,
            Breadth.Kind.ALONE,
            Breadth.Kind.EMPTIED,
            Breadth.Kind.BOTH_EMPTIED,
            Breadth.Kind.NEWCOMERS,
            Breadth.Kind.YEARS);

    private Wings() {}

    private static Set<Fault> allBut(Set<Fault> some) {
        EnumSet<Fault> kinds = EnumSet.allOf(Fault.class);
        kinds.removeAll(some);
        kinds.removeAll(Fault.OF_APPLICATIONS);
        kinds.removeAll(Fault.DRAWN_WITH_ALL_WINGS);
        kinds.removeAll(Fault.DRAWN_APART);
        return kinds;
    }

    /** An outbox, and beside it, where software is unlike, a tally. */
    static List<? extends Wing> outbox(SimulatedCluster cluster) {
        return isUnlike(cluster)
                ? List.of(new OutboxWing(cluster), new TallyWing(cluster, true))
                : List.of(new OutboxWing(cluster));
    }

    private static boolean isUnlike(SimulatedCluster cluster) {
        return cluster.options().breadth.has(Breadth.Kind.SOFTWARE);
    }

    static List<Wing> all(SimulatedCluster cluster) {
        SimulationOptions options = cluster.options();
        World world = cluster.world();
        RandomGenerator random = world.random("wings");
        int anew = options.breadth.has(Breadth.Kind.NAMES) ? 30 : 0;
        boolean hasUptime = options.breadth.has(Breadth.Kind.UPTIME);
        KeySpaceSettings quick = KeyWing.quick();
        KeySpaceSettings often =
                hasUptime ? quick.times(Duration.ofSeconds(4), Duration.ofSeconds(1), Duration.ofSeconds(20)) : quick;
        KeyWing keys = new KeyWing(cluster, often)
                .load(KeyWing.Load.draw(random, options.nodes).anew(anew), world.random("keys"));
        FunnelShape shape = FunnelShape.of(1 + random.nextInt(options.nodes), hasUptime ? 6 : 3)
                .stepping(true);
        FunnelWing maps = new FunnelWing(cluster, shape)
                .load(FunnelClients.Load.draw(random).slower(10).anew(anew), world.random("maps"));
        return List.of(
                new OutboxWing(cluster),
                keys,
                maps,
                new RumourWing(cluster),
                new TallyWing(cluster, isUnlike(cluster)),
                new GeoWing(cluster, cluster.limited()::contains, hasUptime ? 8 : 2),
                new FleetWing(cluster, hasUptime ? 1000 : 125, false));
    }

    /** What a run with one wing consists of, whose node settings are as delivered. */
    private static SimulationOptions one(long seed, int nodes, Set<Fault> kinds, int oneOf, RandomGenerator random) {
        SimulationOptions options = new SimulationOptions(seed);
        options.nodes = nodes;
        options.machinesPerSite = 2;
        options.driftPpm = 0;
        options.jitterNanos = 5 * World.MILLIS;
        options.disk = new SimulatedDisk.Speed(20_000, 400_000, 200_000);
        for (Fault kind : kinds) {
            if (random.nextInt(oneOf) == 0) {
                options.faults.add(kind);
            }
        }
        return options;
    }

    private static SimulatedNetwork.Settings network(long noticeMillis, boolean isTight, RandomGenerator random) {
        return new SimulatedNetwork.Settings(
                200 * World.MILLIS,
                noticeMillis * World.MILLIS,
                10 * noticeMillis * World.MILLIS,
                isTight ? 2 << 10 : 256 << 10,
                isTight ? 8 << 10 : 16 << 20,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean());
    }

    /** A run for a wing that is not of this house, and nothing else. */
    static SimulationOptions alone(long seed) {
        RandomGenerator random = new World(seed).random("wing run");
        SimulationOptions options = one(seed, 3, KEY_KINDS, 3, random);
        options.network = network(100, false, random);
        options.durationNanos = 60 * World.SECONDS;
        options.plan = Nemesis.Plan.even(
                List.copyOf(options.faults), 8 * World.SECONDS, 20 * World.SECONDS, 1, 3_600_000, 2 * World.SECONDS);
        options.wings = cluster -> List.of();
        return options;
    }

    /** A run whose clients draw on from where its options were drawn: they are drawn again for each run with these options. */
    private static SimulationOptions repeatable(Supplier<SimulationOptions> draw) {
        SimulationOptions options = draw.get();
        options.wings = cluster -> draw.get().wings.apply(cluster);
        return options;
    }

    /** A run of key spaces only: a minute of trouble, often from the birth on, and peace for as long as deletions are kept. */
    static SimulationOptions keys(long seed) {
        return repeatable(() -> drawKeys(seed));
    }

    private static SimulationOptions drawKeys(long seed) {
        RandomGenerator random = new World(seed).random("key run");
        SimulationOptions options = one(seed, 2 + random.nextInt(4), KEY_KINDS, 3, random);
        KeyWing.Load load = KeyWing.Load.draw(random, options.nodes);
        options.network = network(100, false, random);
        options.durationNanos = 60 * World.SECONDS;
        options.plan = Nemesis.Plan.even(
                List.copyOf(options.faults),
                8 * World.SECONDS,
                20 * World.SECONDS,
                load.fMax(),
                3_600_000,
                2 * World.SECONDS);
        if (random.nextInt(3) > 0) {
            options.breadth = Breadth.of(Breadth.Kind.HALVES);
        }
        // A clock that is stepped while its node is down may end marks an hour early, one that stood still ends them
        // late.
        boolean isMarkKeptLong = options.faults.contains(Fault.CLOCK_STEP) || options.faults.contains(Fault.SUSPEND);
        Duration kept = isMarkKeptLong ? Duration.ofDays(1) : Duration.ofSeconds(90);
        options.wings = cluster -> List.of(new KeyWing(cluster, KeyWing.quick().deletionsKept(kept))
                .withoutMarks(isMarkKeptLong ? 0 : kept.toNanos())
                .load(load, random));
        return options;
    }

    /** A run of GeoPaxos+ only: seconds of trouble, then peace until all nodes have executed the same. */
    static SimulationOptions geopaxos(long seed, @Nullable String error) {
        RandomGenerator random = new World(seed).random("geopaxos run");
        SimulationOptions options = one(seed, 3 + random.nextInt(3), KEY_KINDS, 3, random);
        options.network = network(100, random.nextInt(4) == 0, random);
        options.delayNanos = (1 + random.nextInt(60)) * World.MILLIS;
        options.driftPpm = random.nextBoolean() ? 4_000 : 0;
        options.isDriftFull = true;
        options.durationNanos = 40 * World.SECONDS;
        options.plan = Nemesis.Plan.even(
                List.copyOf(options.faults),
                4 * World.SECONDS,
                12 * World.SECONDS,
                random.nextInt(4),
                3_600_000,
                World.SECONDS);
        options.wings = cluster -> List.of(new GeoWing(cluster, node -> false, 1, error));
        return options;
    }

    /**
     * A run of a fleet only: mostly few nodes, which know each other by the fleet alone. Half a minute of trouble, often from the
     * birth on, then peace until a node that was away, or whose clock was wrong, is one of them again.
     */
    static SimulationOptions fleets(long seed) {
        return fleets(seed, 36, 30 * World.SECONDS);
    }

    /** The same with fewer nodes and a third of the time: many of them cost as much as a few of the others. */
    static SimulationOptions shortFleets(long seed) {
        return fleets(seed, 6, 10 * World.SECONDS);
    }

    private static SimulationOptions fleets(long seed, int more, long durationNanos) {
        RandomGenerator random = new World(seed).random("fleet run");
        int most = 5 + random.nextInt(1 + random.nextInt(more));
        EnumSet<Fault> kinds = EnumSet.copyOf(MAP_KINDS);
        kinds.add(Fault.REPLACE);
        SimulationOptions options = one(seed, 5 + random.nextInt(most - 4), kinds, 3, random);
        if (new World(seed).random("deaf").nextInt(3) == 0) {
            options.faults.add(Fault.DEAF);
        }
        options.network = network(100, false, random);
        options.delayNanos = (1 + random.nextInt(60)) * World.MILLIS;
        options.durationNanos = durationNanos;
        options.patienceNanos = 240 * World.SECONDS;
        options.plan = Nemesis.Plan.even(
                List.copyOf(options.faults),
                4 * World.SECONDS,
                12 * World.SECONDS,
                random.nextInt(options.nodes),
                3_600_000,
                World.SECONDS);
        if (random.nextBoolean()) {
            options.breadth = Breadth.of(BIRTHS_OF_FLEETS.get(random.nextInt(BIRTHS_OF_FLEETS.size())));
        }
        options.wings = cluster -> List.of(new FleetWing(cluster, 125, true));
        return options;
    }

    /** A run of maps only: seconds of trouble, then peace until all nodes have the same. */
    static SimulationOptions maps(long seed, FunnelShape.Flaw flaw, boolean isVolatile) {
        return repeatable(() -> drawMaps(seed, flaw, isVolatile));
    }

    /** The same with keepers of views that are nodes of the cluster. */
    static SimulationOptions keptMaps(long seed) {
        return repeatable(() -> {
            SimulationOptions options = drawMaps(seed, FunnelShape.Flaw.NONE, false, true);
            options.patienceNanos = 40 * World.SECONDS;
            return options;
        });
    }

    private static SimulationOptions drawMaps(long seed, FunnelShape.Flaw flaw, boolean isVolatile) {
        return drawMaps(seed, flaw, isVolatile, false);
    }

    private static SimulationOptions drawMaps(long seed, FunnelShape.Flaw flaw, boolean isVolatile, boolean isKept) {
        RandomGenerator random = new World(seed).random("funnel run");
        SimulationOptions options = one(seed, 1 + random.nextInt(5), MAP_KINDS, 4, random);
        if (isVolatile) {
            options.faults.removeAll(ENDS);
        }
        if (flaw == FunnelShape.Flaw.ONE_PEER_IS_ENOUGH) {
            options.faults.clear(); // of the master only
        }
        FunnelClients.Load load = FunnelClients.Load.draw(random);
        options.network = network(50, random.nextInt(4) == 0, random);
        options.driftPpm = random.nextBoolean() ? 9_900 : 0;
        options.isDriftFull = true;
        options.warmUpMax = 2 * World.SECONDS;
        options.durationNanos = 6 * World.SECONDS;
        options.patienceNanos = 20 * World.SECONDS;
        options.plan = Nemesis.Plan.even(
                List.copyOf(options.faults),
                2 * World.SECONDS,
                4 * World.SECONDS,
                random.nextInt(options.nodes),
                5_000,
                100 * World.MILLIS);
        FunnelShape shape = FunnelShape.of(1 + random.nextInt(options.nodes), 1)
                .flaw(flaw)
                .isVolatile(isVolatile)
                .stepping(options.faults.contains(Fault.CLOCK_STEP));
        boolean isFlooded = random.nextInt(FLOODED_RUNS) == 0;
        FunnelShape drawn =
                isFlooded ? shape.settings(shape.settings().uncommitted(FunnelTroubles.FLOOD_UNCOMMITTED, 20)) : shape;
        FunnelShape kept = isKept ? drawn.keepers(drawn.founders() - 1 + drawn.founders() % 2) : drawn;
        int losses = random.nextInt(6) == 0 ? 10 : 0;
        // So that transfers of few keys have several pages, too.
        int pageBytes = random.nextBoolean() ? 1 + random.nextInt(500) : 256 << 10;
        options.wings = cluster -> List.of(
                new FunnelWing(cluster, kept).loses(losses).pages(pageBytes).load(load, random));
        return options;
    }
}
