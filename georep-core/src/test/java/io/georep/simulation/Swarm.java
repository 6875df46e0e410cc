package io.georep.simulation;

import io.georep.model.Profile;
import io.georep.model.ProtocolConfig;
import io.georep.simulation.SimulationOptions.ConsumerModel;
import io.georep.simulation.SimulationOptions.Rules;
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

    private static final int WINGS_PARTS = 10;

    /** What makes a run of all wings many times as long. */
    private static final EnumSet<Breadth.Kind> COSTLY =
            EnumSet.of(Breadth.Kind.CROWD, Breadth.Kind.UPTIME, Breadth.Kind.ABSENCE, Breadth.Kind.ERAS);

    private Swarm() {}

    /** Draws a run. In those of seeds below zero entries wait for long, so that they change hands often. */
    static SimulationOptions swarm(long seed) {
        if (seed >= WINGS) {
            return wings(seed);
        }
        RandomGenerator random = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + 5);
        return swarm(seed, isBroad(seed) ? Breadth.drawKinds(random) : EnumSet.noneOf(Breadth.Kind.class));
    }

    /** Draws a run under these circumstances, whatever its seed says of them. */
    static SimulationOptions swarm(long seed, EnumSet<Breadth.Kind> kinds) {
        SimulationOptions drawn = draw(seed);
        SimulationOptions broad = kinds.isEmpty() ? drawn : broad(drawn, kinds);
        return seed < 0 || kinds.contains(Breadth.Kind.ERAS) ? broad.withLongLives() : broad;
    }

    /**
     * Draws a run of all wings. Of ten seeds in a row one has everything at once, and each of eight has an eighth of all
     * circumstances and kinds of trouble for certain, besides what is drawn, so that together they have each of them.
     */
    private static SimulationOptions wings(long seed) {
        RandomGenerator random = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + 6);
        int part = (int) (seed % WINGS_PARTS);
        EnumSet<Breadth.Kind> kinds = part == 0 ? EnumSet.allOf(Breadth.Kind.class) : Breadth.drawKinds(random);
        for (Breadth.Kind costly : COSTLY) {
            if (part == 0 ? costly == Breadth.Kind.CROWD : random.nextInt(4) > 0) {
                kinds.remove(costly);
            }
        }
        kinds.addAll(part(part, Breadth.Kind.class));
        kinds.add(Breadth.Kind.WINGS);
        SimulationOptions drawn = swarm(seed, kinds);
        if (part == 0) {
            return drawn.withAllFaults();
        }
        return drawn.withAlso(part(part, Fault.class));
    }

    /** What a run of all wings with this number from 1 to 8 has for certain. */
    private static <E extends Enum<E>> EnumSet<E> part(int part, Class<E> type) {
        EnumSet<E> chosen = EnumSet.allOf(type);
        chosen.removeIf(each -> 1 + each.ordinal() % (WINGS_PARTS - 2) != part);
        return chosen;
    }

    private static boolean isBroad(long seed) {
        return seed >= BROAD || seed <= -BROAD;
    }

    /** Draws a run of one of the five kinds there are seeds for. */
    static SimulationOptions mixed(long seed) {
        if (isBroad(seed) || seed < 0) {
            return swarm(seed);
        }
        return swarm(
                switch ((int) (seed % 10)) {
                    case 0, 5 -> -seed;
                    case 1 -> BROAD + seed;
                    case 6 -> -(BROAD + seed);
                    case 8 -> WINGS + seed;
                    default -> seed;
                });
    }

    private static SimulationOptions draw(long seed) {
        RandomGenerator random = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + 1);
        int nodes = 2 + random.nextInt(6);
        long heartbeat = pick(random, 500, 1000, 1000, 2000) * World.MILLIS;
        long delay = pick(random, 1, 5, 30, 80) * World.MILLIS;
        // What was added later draws from a source of its own, so that the seeds keep their meaning.
        RandomGenerator later = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + 2);
        RandomGenerator disks = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + 3);
        EnumSet<Fault> faults = EnumSet.noneOf(Fault.class);
        int chance = random.nextInt(100);
        for (Fault fault : EnumSet.range(Fault.CRASH, Fault.DISK_ERROR)) {
            RandomGenerator source = fault.compareTo(Fault.REFUSE_ADOPTION) <= 0 ? random : disks;
            if (source.nextInt(100) < chance) {
                faults.add(fault);
            }
        }
        return new SimulationOptions(
                seed,
                nodes,
                failures(random, nodes),
                1 + random.nextInt(3),
                config(random, later, disks, heartbeat),
                delay,
                random.nextBoolean() ? 0 : delay,
                network(random),
                new SimulatedDisk.Speed(
                        20_000, pick(random, 100, 400, 5000) * World.MICROS, pick(random, 1, 300, 20_000) * 1000),
                new Pace(pick(random, 0, 20, 1000) * World.MICROS, (int) pick(random, 1, 16, 256)),
                (int) pick(random, 0, 50, 5000),
                faults,
                heartbeat * pick(random, 2, 4, 10),
                random.nextInt(3),
                heartbeat * pick(random, 20, 40, 80),
                heartbeat * pick(random, 1, 2, 6) * nodes / 4,
                (int) pick(random, 1, 4, 12),
                consumer(random, heartbeat, seed),
                (int) pick(later, 0, 0, 0, 30),
                Rules.delivered(),
                Breadth.none());
    }

    private static SimulationOptions broad(SimulationOptions drawn, EnumSet<Breadth.Kind> kinds) {
        RandomGenerator random = new SplittableRandom(drawn.seed() * 0x9e3779b97f4a7c15L + 4);
        boolean crowd = kinds.contains(Breadth.Kind.CROWD);
        boolean hasWings = kinds.contains(Breadth.Kind.WINGS);
        int machines = crowd ? 5 + random.nextInt(hasWings ? 4 : 8) : drawn.nodes();
        if (hasWings && !crowd) {
            machines = Math.min(Math.max(machines, 3), 5);
        }
        List<Integer> copies =
                crowd ? List.of(random.nextInt(machines), 1 + random.nextInt(machines - 1)) : drawn.failures();
        Breadth breadth = Breadth.draw(kinds, machines, drawn.config(), random);
        boolean late = kinds.contains(Breadth.Kind.ABSENCE);
        long heartbeat = drawn.config().heartbeat().toNanos();
        EnumSet<Fault> faults = EnumSet.copyOf(drawn.faults());
        for (Fault fault : EnumSet.range(Fault.CRASH_ON_DUTY, Fault.WRONG_IMAGE)) {
            if (random.nextInt(3) == 0) {
                faults.add(fault);
            }
        }
        return new SimulationOptions(
                drawn.seed(),
                machines,
                copies,
                kinds.contains(Breadth.Kind.QUEUES) ? 20 + random.nextInt(40) : drawn.queues(),
                late ? breadth.machines().get(0).config() : drawn.config(),
                drawn.delayNanos(),
                drawn.jitterNanos(),
                kinds.contains(Breadth.Kind.CONNECTIONS) ? drawn.network().overlapping() : drawn.network(),
                drawn.disk(),
                drawn.pace(),
                drawn.driftPpm(),
                faults,
                hasWings ? 2 * heartbeat : drawn.faultGapNanos(),
                hasWings ? 3 : drawn.lossesMax(),
                (late ? 2 : 1) * (hasWings ? 40 * heartbeat : drawn.durationNanos()),
                (late ? 2 : 1) * (hasWings ? 6 : 1) * drawn.putGapNanos(),
                hasWings ? Math.min(2, drawn.putBatchMax()) : drawn.putBatchMax(),
                drawn.consumer(),
                drawn.preparedPercent(),
                drawn.rules(),
                breadth);
    }

    private static List<Integer> failures(RandomGenerator random, int nodes) {
        List<Integer> failures = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            failures.add(random.nextInt(10) == 0 ? random.nextInt(4) : 1 + random.nextInt(Math.min(3, nodes - 1)));
        }
        return failures;
    }

    private static ProtocolConfig config(
            RandomGenerator random, RandomGenerator later, RandomGenerator disks, long heartbeat) {
        long suspect = heartbeat * pick(random, 3, 5);
        return ProtocolConfig.builder()
                .profile(Profile.HARDENED)
                .adoptProbe(later.nextInt(4) == 0)
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
        RandomGenerator waits = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + 6);
        return new ConsumerModel(
                pick(random, 1, 20, heartbeat / World.MILLIS) * World.MILLIS,
                pick(random, 0, 1, 100) * World.MILLIS + 1,
                (int) pick(random, 1, 8, 100),
                (int) pick(random, 0, 0, 10),
                (int) pick(random, 0, 0, 5),
                (int) pick(random, 0, 0, 10),
                (int) pick(waits, 0, 0, 10, 60));
    }

    private static long pick(RandomGenerator random, long... values) {
        return values[random.nextInt(values.length)];
    }
}
