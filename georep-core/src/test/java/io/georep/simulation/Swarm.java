package io.georep.simulation;

import io.georep.model.ProtocolConfig;
import io.georep.simulation.SimulationOptions.ConsumerModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Draws runs: a seed stands for everything in a run. */
final class Swarm {
    /** Seeds from this one on stand for runs of great breadth, below its negative for those with long-lived entries. */
    static final long BROAD = 4_000_000_000_000_000_000L;

    /** Seeds from this one on stand for runs of all wings. */
    static final long WINGS = 6_000_000_000_000_000_000L;

    /** Seeds from this one on stand for runs of key spaces only. */
    static final long KEYS = 3_000_000_000_000_000_000L;

    /** Seeds from this one on stand for runs of replicated maps only. */
    static final long MAPS = 3_200_000_000_000_000_000L;

    /** Seeds from this one on stand for runs of maps whose stores a crash may take away. */
    static final long VOLATILE_MAPS = 3_400_000_000_000_000_000L;

    /** Seeds from this one on stand for runs of maps whose nodes keep their views themselves. */
    static final long KEPT_MAPS = 3_600_000_000_000_000_000L;

    /** Seeds from this one on stand for runs of GeoPaxos+ only. */
    static final long GEOPAXOS = 3_800_000_000_000_000_000L;

    /** Seeds from this one on stand for runs of fleets only. */
    static final long FLEETS = 2_800_000_000_000_000_000L;

    /** Seeds from this one on stand for short runs of small fleets. */
    static final long SHORT_FLEETS = 2_900_000_000_000_000_000L;

    /** Of so many seeds of all wings in a row, each has a part of its own of all that there is. */
    static final int WINGS_PARTS = 10;

    /** So many seeds stand for runs of one wing. */
    private static final long ALONE = 200_000_000_000_000_000L;

    private static final int LIMITED_ONE_OF = 5;

    /** What makes a run of all wings many times as long. */
    private static final EnumSet<Breadth.Kind> COSTLY =
            EnumSet.of(Breadth.Kind.CROWD, Breadth.Kind.UPTIME, Breadth.Kind.ABSENCE, Breadth.Kind.ERAS);

    private Swarm() {}

    /** Draws a run. In those of seeds below zero entries wait for long, so that they change hands often. */
    static SimulationOptions swarm(long seed) {
        if (seed >= WINGS) {
            return wings(seed);
        } else if (seed >= MAPS && seed < VOLATILE_MAPS + ALONE) {
            return Wings.maps(seed, FunnelShape.Flaw.NONE, seed >= VOLATILE_MAPS);
        } else if (seed >= KEPT_MAPS && seed < KEPT_MAPS + ALONE) {
            return Wings.keptMaps(seed);
        } else if (seed >= GEOPAXOS && seed < GEOPAXOS + ALONE) {
            return Wings.geopaxos(seed, null);
        } else if (seed >= KEYS && seed < MAPS) {
            return Wings.keys(seed);
        } else if (seed >= FLEETS && seed < FLEETS + ALONE) {
            return seed < SHORT_FLEETS ? Wings.fleets(seed) : Wings.shortFleets(seed);
        }
        RandomGenerator random = source(seed, 5);
        EnumSet<Breadth.Kind> kinds = isBroad(seed) ? Breadth.drawKinds(random) : EnumSet.noneOf(Breadth.Kind.class);
        if (isBroad(seed)) {
            kinds.addAll(ofLate(seed));
        }
        return swarm(seed, kinds);
    }

    /** Draws a run under these circumstances, whatever its seed says of them. */
    static SimulationOptions swarm(long seed, EnumSet<Breadth.Kind> kinds) {
        SimulationOptions drawn = draw(seed);
        SimulationOptions broad = kinds.isEmpty() ? drawn : broad(drawn, kinds);
        return seed < 0 || kinds.contains(Breadth.Kind.ERAS) ? broad.withLongLives() : broad;
    }

    /**
     * Draws a run of all wings. Of ten seeds in a row one has everything at once, and each of eight has an eighth of all
     * circumstances and kinds of trouble for certain, besides what is drawn, so that together they have each of them. In the
     * last, stores become older ones, which wings seldom allow while there is other trouble; some only if there was a later process.
     */
    private static SimulationOptions wings(long seed) {
        RandomGenerator random = source(seed, 6);
        int part = (int) (seed % WINGS_PARTS);
        EnumSet<Breadth.Kind> kinds = part == 0 ? Breadth.ofOld() : Breadth.drawKinds(random);
        for (Breadth.Kind costly : COSTLY) {
            if (part == 0 ? costly == Breadth.Kind.CROWD : random.nextInt(4) > 0) {
                kinds.remove(costly);
            }
        }
        kinds.addAll(part(part, Breadth.Kind.class));
        if (part > 0) {
            kinds.addAll(ofLate(seed));
        }
        kinds.add(Breadth.Kind.WINGS);
        SimulationOptions drawn = swarm(seed, kinds);
        if (part == 0) {
            return drawn.withAlso(EnumSet.complementOf(EnumSet.copyOf(Fault.DRAWN_APART)));
        }
        if (part == WINGS_PARTS - 1) {
            return drawn.withFaults(Fault.OLD_IMAGE, Fault.BREAK, Fault.STOP);
        }
        EnumSet<Fault> also = EnumSet.copyOf(Fault.DRAWN_WITH_ALL_WINGS);
        also.removeIf(each -> random.nextInt(3) > 0);
        return drawn.withAlso(also).withAlso(part(part, Fault.class)).withAlso(apart(seed));
    }

    /** What a run of all wings with this number from 1 to 8 has for certain. */
    private static <E extends Enum<E>> EnumSet<E> part(int part, Class<E> type) {
        EnumSet<E> chosen = EnumSet.allOf(type);
        chosen.removeIf(each -> Fault.DRAWN_APART.contains(each) || 1 + each.ordinal() % (WINGS_PARTS - 2) != part);
        return chosen;
    }

    /** Drawn apart, so that the seeds that failed once keep their meaning. */
    private static EnumSet<Breadth.Kind> ofLate(long seed) {
        EnumSet<Breadth.Kind> kinds = EnumSet.noneOf(Breadth.Kind.class);
        if (source(seed, 7).nextInt(3) == 0) {
            kinds.add(Breadth.Kind.RETUNED);
        }
        if (source(seed, 9).nextInt(LIMITED_ONE_OF) == 0) {
            kinds.add(Breadth.Kind.LIMITED);
        }
        return kinds;
    }

    private static EnumSet<Fault> apart(long seed) {
        EnumSet<Fault> kinds = EnumSet.noneOf(Fault.class);
        for (Fault kind : Fault.DRAWN_APART) {
            if (source(seed, 10 + kind.compareTo(Fault.LIVE_ON)).nextInt(3) == 0) {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    private static boolean isBroad(long seed) {
        return seed >= BROAD || seed <= -BROAD;
    }

    /** Draws a run of one of the kinds there are seeds for. */
    static SimulationOptions mixed(long seed) {
        if (isBroad(seed) || seed < 0) {
            return swarm(seed);
        }
        return swarm(
                switch ((int) (seed % 10)) {
                    case 0, 5 -> -seed;
                    case 1 -> BROAD + seed;
                    case 2 -> KEYS + seed % ALONE;
                    case 4 -> (seed % 20 == 4 ? VOLATILE_MAPS : MAPS) + seed % ALONE;
                    case 6 -> -(BROAD + seed);
                    case 8 -> WINGS + seed;
                    // Half of that range: short ones begin behind it.
                    case 3 -> (seed % 20 == 3 ? FLEETS : SHORT_FLEETS) + seed % (ALONE / 2);
                    case 9 -> GEOPAXOS + seed % ALONE;
                    default -> seed;
                });
    }

    private static SimulationOptions draw(long seed) {
        RandomGenerator random = source(seed, 1);
        SimulationOptions drawn = new SimulationOptions(seed);
        int nodes = 2 + random.nextInt(6);
        long heartbeat = pick(random, 500, 1000, 1000, 2000) * World.MILLIS;
        long delay = pick(random, 1, 5, 30, 80) * World.MILLIS;
        // What was added later draws from a source of its own, so that the seeds keep their meaning.
        RandomGenerator later = source(seed, 2);
        RandomGenerator disks = source(seed, 3);
        int chance = random.nextInt(100);
        for (Fault fault : EnumSet.range(Fault.CRASH, Fault.DISK_ERROR)) {
            RandomGenerator source = fault.compareTo(Fault.REFUSE_ADOPTION) <= 0 ? random : disks;
            if (source.nextInt(100) < chance) {
                drawn.faults.add(fault);
            }
        }
        drawn.nodes = nodes;
        drawn.failures = failures(random, nodes);
        drawn.queues = 1 + random.nextInt(3);
        later.nextInt(4); // drew a setting that is gone
        drawn.config = config(random, disks, heartbeat);
        drawn.delayNanos = delay;
        drawn.jitterNanos = random.nextBoolean() ? 0 : delay;
        drawn.network = network(random);
        drawn.disk = new SimulatedDisk.Speed(
                20_000, pick(random, 100, 400, 5000) * World.MICROS, pick(random, 1, 300, 20_000) * 1000);
        drawn.pace = new Pace(pick(random, 0, 20, 1000) * World.MICROS, (int) pick(random, 1, 16, 256));
        drawn.driftPpm = (int) pick(random, 0, 50, 5000);
        drawn.faultGapNanos = heartbeat * pick(random, 2, 4, 10);
        drawn.lossesMax = random.nextInt(3);
        drawn.durationNanos = heartbeat * pick(random, 20, 40, 80);
        drawn.putGapNanos = heartbeat * pick(random, 1, 2, 6) * nodes / 4;
        drawn.putBatchMax = (int) pick(random, 1, 4, 12);
        drawn.consumer = consumer(random, heartbeat, seed);
        drawn.preparedPercent = (int) pick(later, 0, 0, 0, 30);
        return drawn;
    }

    private static SimulationOptions broad(SimulationOptions drawn, EnumSet<Breadth.Kind> kinds) {
        RandomGenerator random = source(drawn.seed, 4);
        boolean crowd = kinds.contains(Breadth.Kind.CROWD);
        boolean hasWings = kinds.contains(Breadth.Kind.WINGS);
        if (crowd) {
            drawn.nodes = 5 + random.nextInt(hasWings ? 4 : 8);
            drawn.failures = List.of(random.nextInt(drawn.nodes), 1 + random.nextInt(drawn.nodes - 1));
        } else if (hasWings) {
            drawn.nodes = Math.min(Math.max(drawn.nodes, 3), 5);
        }
        if (kinds.contains(Breadth.Kind.UPTIME)) {
            drawn.nodes = crowd ? drawn.nodes : 3;
            drawn.config = Breadth.slower(drawn.config);
            drawn.faultGapNanos *= Breadth.SLOWER;
            drawn.durationNanos *= Breadth.SLOWER;
            drawn.putGapNanos *= Breadth.SLOWER;
        }
        drawn.breadth = Breadth.draw(kinds, drawn.nodes, drawn.config, random, source(drawn.seed, 8));
        long heartbeat = drawn.config.heartbeat().toNanos();
        for (Fault fault : EnumSet.range(Fault.CRASH_ON_DUTY, Fault.WRONG_IMAGE)) {
            if (random.nextInt(3) == 0) {
                drawn.faults.add(fault);
            }
        }
        if (kinds.contains(Breadth.Kind.QUEUES)) {
            drawn.queues = 20 + random.nextInt(40);
        }
        if (kinds.contains(Breadth.Kind.CONNECTIONS)) {
            drawn.network = drawn.network.overlapping();
        }
        if (hasWings) {
            drawn.wings = Wings::all;
            drawn.faultGapNanos = 2 * heartbeat;
            drawn.lossesMax = 3;
            drawn.durationNanos = 40 * heartbeat;
            drawn.putGapNanos *= 6;
            drawn.putBatchMax = Math.min(2, drawn.putBatchMax);
        }
        if (kinds.contains(Breadth.Kind.ABSENCE)) {
            drawn.config = drawn.breadth.machines().get(0).config();
            drawn.durationNanos *= 2;
            drawn.putGapNanos *= 2;
        }
        return drawn;
    }

    private static List<Integer> failures(RandomGenerator random, int nodes) {
        List<Integer> failures = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            failures.add(random.nextInt(10) == 0 ? random.nextInt(4) : 1 + random.nextInt(Math.min(3, nodes - 1)));
        }
        return failures;
    }

    private static ProtocolConfig config(RandomGenerator random, RandomGenerator disks, long heartbeat) {
        long suspect = heartbeat * pick(random, 3, 5);
        return ProtocolConfig.builder()
                .heartbeat(Duration.ofNanos(heartbeat))
                .heartbeatAway(Duration.ofNanos(heartbeat * pick(random, 1, 5)))
                .suspectAfter(Duration.ofNanos(suspect))
                .terminateAfter(Duration.ofNanos(heartbeat * pick(random, 3, 10, 25)))
                .putTimeout(Duration.ofNanos(suspect * 6 / 10))
                .tombstoneLife(Duration.ofHours(24))
                .reReplicateAfter(random.nextBoolean() ? null : Duration.ofNanos(heartbeat * pick(random, 5, 30)))
                .groupBytesMax((int) pick(random, 1024, 4096, 262_144))
                .pendingPutsMax((int) pick(random, 20, 1000, 100_000))
                .cacheBytesMax(pick(random, 0, 2000, 1_000_000))
                .storeStallAfter(Duration.ofNanos(suspect * pick(disks, 1, 2) / 2))
                .storeFailAfter(Duration.ofNanos(suspect * pick(disks, 2, 6, 20)))
                .storeBacklogBytesMax(pick(disks, 2000, 100_000, 10_000_000))
                .build();
    }

    private static SimulatedNetwork.Settings network(RandomGenerator random) {
        return new SimulatedNetwork.Settings(
                pick(random, 1, 200, 3000) * World.MILLIS,
                100 * World.MILLIS,
                World.SECONDS,
                256 << 10,
                random.nextInt(4) == 0 ? 3000 : 16 << 20,
                random.nextBoolean(),
                random.nextInt(4) == 0,
                false);
    }

    private static ConsumerModel consumer(RandomGenerator random, long heartbeat, long seed) {
        RandomGenerator waits = source(seed, 6);
        return new ConsumerModel(
                pick(random, 1, 20, heartbeat / World.MILLIS) * World.MILLIS,
                pick(random, 0, 1, 100) * World.MILLIS + 1,
                (int) pick(random, 1, 8, 100),
                (int) pick(random, 0, 0, 10),
                (int) pick(random, 0, 0, 5),
                (int) pick(random, 0, 0, 10),
                (int) pick(waits, 0, 0, 10, 60));
    }

    private static RandomGenerator source(long seed, int purpose) {
        return new SplittableRandom(seed * 0x9e3779b97f4a7c15L + purpose);
    }

    private static long pick(RandomGenerator random, long... values) {
        return values[random.nextInt(values.length)];
    }
}
