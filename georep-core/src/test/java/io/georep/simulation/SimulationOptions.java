package io.georep.simulation;

import io.georep.model.NodeId;
import io.georep.model.Profile;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.membership.LifeSigns;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * What a run consists of.
 *
 * @param seed decides everything not decided here
 * @param nodes number of machines
 * @param failures numbers of copies that puts ask for, one of them drawn for each
 * @param queues number of queues
 * @param config settings of the protocols
 * @param delayNanos shortest time of a way
 * @param jitterNanos what a frame may take longer
 * @param network other settings of the network
 * @param disk speed of the disks
 * @param pace of the loops
 * @param driftPpm clocks run fast or slow by at most so many millionths
 * @param faults which kinds of trouble happen
 * @param faultGapNanos mean time between two troubles
 * @param lossesMax how many stores may be lost for ever
 * @param durationNanos length of the phase with trouble
 * @param putGapNanos mean time between two calls of a producer
 * @param putBatchMax most puts in a call
 * @param consumer how applications behave
 * @param preparedPercent how many of the puts are part of a transaction that ends later
 * @param auditEvery the state of a node is examined after every so many turns
 * @param rules what differs from the protocols as they are delivered
 */
public record SimulationOptions(
        long seed,
        int nodes,
        List<Integer> failures,
        int queues,
        ProtocolConfig config,
        long delayNanos,
        long jitterNanos,
        SimulatedNetwork.Settings network,
        SimulatedDisk.Speed disk,
        SimulatedNode.Pace pace,
        int driftPpm,
        EnumSet<Fault> faults,
        long faultGapNanos,
        int lossesMax,
        long durationNanos,
        long putGapNanos,
        int putBatchMax,
        ConsumerModel consumer,
        int preparedPercent,
        int auditEvery,
        Rules rules) {

    /**
     * What differs from the protocols as they are delivered.
     *
     * @param selection who gets copies
     * @param lifeSigns what counts as a life sign
     * @param removesOnReturn whether who cedes removes its copies, as the papers do
     */
    public record Rules(PeerSelection selection, LifeSigns lifeSigns, boolean removesOnReturn) {
        /** Nothing. */
        static Rules delivered() {
            return new Rules(PeerSelection.random(), LifeSigns.UNSOLICITED, false);
        }

        /** Owners in the order of names. */
        static Rules fixed(int nodes) {
            List<NodeId> order = new ArrayList<>();
            for (int i = 1; i <= nodes; i++) {
                order.add(NodeId.of("n" + i));
            }
            return new Rules(PeerSelection.fixed(order), LifeSigns.UNSOLICITED, false);
        }

        Rules lifeSigns(LifeSigns kind) {
            return new Rules(selection, kind, removesOnReturn);
        }

        Rules removingOnReturn() {
            return new Rules(selection, lifeSigns, true);
        }
    }

    /**
     * How applications behave.
     *
     * @param workNanos longest time an entry is worked on
     * @param markNanos longest time between the consumer's acceptance and the mark
     * @param window entries at work at the same time
     * @param returnPercent how many are given back
     * @param deadPercent how many become dead letters
     * @param rereadPercent how many are read again before they are worked on
     */
    public record ConsumerModel(
            long workNanos, long markNanos, int window, int returnPercent, int deadPercent, int rereadPercent) {}

    /** Draws a run. In those of seeds below zero entries wait for long, so that they change hands often. */
    public static SimulationOptions swarm(long seed) {
        SimulationOptions drawn = draw(seed);
        return seed < 0 ? drawn.withLongLives() : drawn;
    }

    /** Draws a run; in one of five entries wait for long. */
    static SimulationOptions mixed(long seed) {
        return swarm(seed % 5 == 0 ? -seed : seed);
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
        for (Fault fault : Fault.values()) {
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
                new SimulatedNode.Pace(pick(random, 0, 20, 1000) * World.MICROS, (int) pick(random, 1, 16, 256)),
                (int) pick(random, 0, 50, 5000),
                faults,
                heartbeat * pick(random, 2, 4, 10),
                random.nextInt(3),
                heartbeat * pick(random, 20, 40, 80),
                heartbeat * pick(random, 1, 2, 6) * nodes / 4,
                (int) pick(random, 1, 4, 12),
                consumer(random, heartbeat),
                (int) pick(later, 0, 0, 0, 30),
                (int) pick(random, 1, 10, 50, 50, 50, 50, 100, 100, 100, 100),
                Rules.delivered());
    }

    /** Nothing but what a scenario does happens: these nodes with these settings. */
    static SimulationOptions scenario(int nodes, int queues, ProtocolConfig config, Rules rules) {
        return new SimulationOptions(
                1,
                nodes,
                List.of(1),
                queues,
                config,
                5 * World.MILLIS,
                World.MILLIS,
                new SimulatedNetwork.Settings(
                        200 * World.MILLIS, 100 * World.MILLIS, World.SECONDS, 256 << 10, 16 << 20, false, false),
                new SimulatedDisk.Speed(20_000, 400_000, 100_000),
                new SimulatedNode.Pace(20_000, 16),
                50,
                EnumSet.noneOf(Fault.class),
                World.SECONDS,
                nodes,
                World.SECONDS,
                World.SECONDS,
                1,
                new ConsumerModel(World.MILLIS, World.MILLIS, 10, 0, 0, 0),
                0,
                1,
                rules);
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
                random.nextInt(4) == 0);
    }

    private static ConsumerModel consumer(RandomGenerator random, long heartbeat) {
        return new ConsumerModel(
                pick(random, 1, 20, heartbeat / World.MILLIS) * World.MILLIS,
                pick(random, 0, 1, 100) * World.MILLIS + 1,
                (int) pick(random, 1, 8, 100),
                (int) pick(random, 0, 0, 10),
                (int) pick(random, 0, 0, 5),
                (int) pick(random, 0, 0, 10));
    }

    private static long pick(RandomGenerator random, long... values) {
        return values[random.nextInt(values.length)];
    }

    /** Whether holders look for new owners. */
    boolean relocates() {
        return config.reReplicateAfter() != null || faults.contains(Fault.DRAIN) || faults.contains(Fault.REMOVE);
    }

    /** T_s + T_x. */
    long failoverNanos() {
        return config.failoverAfter().toNanos();
    }

    /** Everything, on a few lines. */
    String describe() {
        return "seed " + seed + ": " + nodes + " nodes, f " + failures + ", " + queues + " queues, faults " + faults
                + " every " + faultGapNanos / World.MILLIS + " ms for " + durationNanos / World.SECONDS + " s, at most "
                + lossesMax + " stores lost\n  " + config + "\n  " + network + "\n  " + disk + " " + pace + " delay "
                + delayNanos / World.MILLIS + "+" + jitterNanos / World.MILLIS + " ms, drift " + driftPpm + " ppm\n  "
                + consumer + ", puts of " + putBatchMax + " every " + putGapNanos / World.MILLIS + " ms, "
                + preparedPercent + " % prepared, audit every "
                + auditEvery;
    }

    /** The same run with other kinds of trouble; with none, no frame is lost either. */
    SimulationOptions withFaults(Fault... kinds) {
        EnumSet<Fault> chosen = EnumSet.noneOf(Fault.class);
        chosen.addAll(Arrays.asList(kinds));
        return with(chosen, config, auditEvery, rules);
    }

    /** The same run, examined after every turn. */
    SimulationOptions audited() {
        return with(faults, config, 1, rules);
    }

    /** The same run with only the rules of the papers, which are known to lose entries (gap G6). */
    SimulationOptions withPaperRules() {
        ProtocolConfig.Builder builder = ProtocolConfig.builder()
                .profile(Profile.PAPER)
                .heartbeat(config.heartbeat())
                .heartbeatAway(config.heartbeatAway())
                .suspectAfter(config.suspectAfter())
                .terminateAfter(config.terminateAfter())
                .putTimeout(config.putTimeout())
                .reReplicateAfter(null)
                .groupBytesMax(config.groupBytesMax());
        return with(faults, builder.build(), auditEvery, rules);
    }

    /**
     * The same run with entries that wait for long, because the consumer is slow, and with nodes that remove what they
     * cede: one who adopted and dies takes the only copy along.
     */
    SimulationOptions thatRemovesOnReturn() {
        long heartbeat = config.heartbeat().toNanos();
        ConsumerModel slow = new ConsumerModel(40 * heartbeat, World.MILLIS, 1, 0, 0, 0);
        EnumSet<Fault> kinds = EnumSet.of(Fault.CRASH, Fault.DEATH);
        SimulationOptions same = with(kinds, config, auditEvery, rules.removingOnReturn());
        return same.with(slow, 2);
    }

    private SimulationOptions withLongLives() {
        long work = 40 * config.heartbeat().toNanos();
        int percent = consumer.returnPercent();
        return with(new ConsumerModel(work, World.MILLIS, 1, percent, consumer.deadPercent(), percent), lossesMax);
    }

    /** The same run with other rules. */
    SimulationOptions with(Rules other) {
        return with(faults, config, auditEvery, other);
    }

    private SimulationOptions with(EnumSet<Fault> kinds, ProtocolConfig settings, int audit, Rules other) {
        SimulatedNetwork.Settings ways = kinds.isEmpty() ? SimulatedNetwork.Settings.defaults() : network;
        return copy(kinds, settings, ways, lossesMax, consumer, audit, other);
    }

    private SimulationOptions with(ConsumerModel applications, int losses) {
        return copy(faults, config, network, losses, applications, auditEvery, rules);
    }

    private SimulationOptions copy(
            EnumSet<Fault> kinds,
            ProtocolConfig settings,
            SimulatedNetwork.Settings ways,
            int losses,
            ConsumerModel applications,
            int audit,
            Rules other) {
        return new SimulationOptions(
                seed,
                nodes,
                failures,
                queues,
                settings,
                delayNanos,
                jitterNanos,
                ways,
                disk,
                pace,
                driftPpm,
                kinds,
                faultGapNanos,
                losses,
                durationNanos,
                putGapNanos,
                putBatchMax,
                applications,
                preparedPercent,
                audit,
                other);
    }
}
