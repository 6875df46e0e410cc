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
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
 * @param rules what differs from the protocols as they are delivered
 * @param breadth circumstances besides trouble
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
        Pace pace,
        int driftPpm,
        EnumSet<Fault> faults,
        long faultGapNanos,
        int lossesMax,
        long durationNanos,
        long putGapNanos,
        int putBatchMax,
        ConsumerModel consumer,
        int preparedPercent,
        Rules rules,
        Breadth breadth) {
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
     * @param waitPercent how many wait before a handler gets them: for a delay, a next attempt, or a pause to end
     */
    public record ConsumerModel(
            long workNanos,
            long markNanos,
            int window,
            int returnPercent,
            int deadPercent,
            int rereadPercent,
            int waitPercent) {}

    /** Draws a run, see {@link Swarm}. */
    public static SimulationOptions swarm(long seed) {
        return Swarm.swarm(seed);
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
                        200 * World.MILLIS,
                        100 * World.MILLIS,
                        World.SECONDS,
                        256 << 10,
                        16 << 20,
                        false,
                        false,
                        false),
                new SimulatedDisk.Speed(20_000, 400_000, 100_000),
                new Pace(20_000, 16),
                50,
                EnumSet.noneOf(Fault.class),
                World.SECONDS,
                nodes,
                World.SECONDS,
                World.SECONDS,
                1,
                new ConsumerModel(World.MILLIS, World.MILLIS, 10, 0, 0, 0, 0),
                0,
                rules,
                Breadth.none());
    }

    /** Settings of the machine with this number, which begin with 1. */
    ProtocolConfig config(int machine) {
        return breadth.machines().isEmpty()
                ? config
                : breadth.machines().get(machine - 1).config();
    }

    /** Who gets copies of the machine with this number. */
    PeerSelection selection(int machine) {
        return breadth.has(Breadth.Kind.SITES)
                ? breadth.machines().get(machine - 1).selection()
                : rules.selection();
    }

    /** What the machine with this number fails together with. */
    String site(int machine) {
        return breadth.machines().isEmpty()
                ? "s" + machine
                : breadth.machines().get(machine - 1).site();
    }

    /** Whether holders look for new owners. */
    boolean relocates() {
        return configs().anyMatch(each -> each.reReplicateAfter() != null)
                || faults.contains(Fault.DRAIN)
                || faults.contains(Fault.REMOVE);
    }

    /** T_s + T_x, the longest of all nodes. */
    long failoverNanos() {
        return longest(ProtocolConfig::failoverAfter);
    }

    /** A time, in nanoseconds, at the node where it is longest. */
    long longest(Function<ProtocolConfig, Duration> time) {
        return configs().mapToLong(each -> time.apply(each).toNanos()).max().orElseThrow();
    }

    /** Whether a store is allowed to owe less than a few puts made at once may come to. */
    boolean hasTinyBacklog() {
        return configs().anyMatch(each -> each.storeBacklogBytesMax() < 10_000);
    }

    private Stream<ProtocolConfig> configs() {
        return IntStream.rangeClosed(1, nodes).mapToObj(this::config);
    }

    /** Everything, on a few lines. */
    String describe() {
        return "seed " + seed + ": " + nodes + " nodes, f " + failures + ", " + queues + " queues, faults " + faults
                + " every " + faultGapNanos / World.MILLIS + " ms for " + durationNanos / World.SECONDS + " s, at most "
                + lossesMax + " stores lost\n  " + config + "\n  " + network + "\n  " + disk + " " + pace + " delay "
                + delayNanos / World.MILLIS + "+" + jitterNanos / World.MILLIS + " ms, drift " + driftPpm + " ppm\n  "
                + consumer + ", puts of " + putBatchMax + " every " + putGapNanos / World.MILLIS + " ms, "
                + preparedPercent + " % prepared" + (breadth.kinds().isEmpty() ? "" : "\n  " + breadth);
    }

    /** The same run with other kinds of trouble; with none, no frame is lost either. */
    SimulationOptions withFaults(Fault... kinds) {
        EnumSet<Fault> chosen = EnumSet.noneOf(Fault.class);
        chosen.addAll(Arrays.asList(kinds));
        // A store that is behind refuses, which is trouble too.
        ProtocolConfig settings = chosen.isEmpty()
                ? Breadth.builder(config)
                        .storeBacklogBytesMax(ProtocolConfig.defaults().storeBacklogBytesMax())
                        .build()
                : config;
        return with(chosen, settings, rules);
    }

    /** The same run with all kinds of trouble. */
    SimulationOptions withAllFaults() {
        return with(EnumSet.allOf(Fault.class), config, rules);
    }

    /** The same run with these kinds of trouble as well. */
    SimulationOptions withAlso(Set<Fault> kinds) {
        EnumSet<Fault> more = EnumSet.copyOf(faults);
        more.addAll(kinds);
        return with(more, config, rules);
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
        return with(faults, builder.build(), rules);
    }

    /**
     * The same run with entries that wait for long, because the consumer is slow, and with nodes that remove what they
     * cede: one who adopted and dies takes the only copy along.
     */
    SimulationOptions thatRemovesOnReturn() {
        long heartbeat = config.heartbeat().toNanos();
        ConsumerModel slow = new ConsumerModel(40 * heartbeat, World.MILLIS, 1, 0, 0, 0, 0);
        EnumSet<Fault> kinds = EnumSet.of(Fault.CRASH, Fault.DEATH);
        SimulationOptions same = with(kinds, config, rules.removingOnReturn());
        return same.with(slow, 2);
    }

    /** The same run with entries that wait for long, so that they change hands often. */
    SimulationOptions withLongLives() {
        long work = 40 * config.heartbeat().toNanos();
        int percent = consumer.returnPercent();
        return with(
                new ConsumerModel(
                        work, World.MILLIS, 1, percent, consumer.deadPercent(), percent, consumer.waitPercent()),
                lossesMax);
    }

    /** The same run with other rules. */
    SimulationOptions with(Rules other) {
        return with(faults, config, other);
    }

    private SimulationOptions with(EnumSet<Fault> kinds, ProtocolConfig settings, Rules other) {
        SimulatedNetwork.Settings ways = kinds.isEmpty() ? SimulatedNetwork.Settings.defaults() : network;
        return copy(kinds, settings, ways, lossesMax, consumer, other);
    }

    private SimulationOptions with(ConsumerModel applications, int losses) {
        return copy(faults, config, network, losses, applications, rules);
    }

    private SimulationOptions copy(
            EnumSet<Fault> kinds,
            ProtocolConfig settings,
            SimulatedNetwork.Settings ways,
            int losses,
            ConsumerModel applications,
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
                other,
                breadth);
    }
}
