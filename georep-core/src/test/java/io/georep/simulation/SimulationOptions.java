package io.georep.simulation;

import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What a run consists of. At first nothing but what a scenario does happens, to three nodes with an outbox. */
final class SimulationOptions {
    /** Decides everything not decided here. */
    final long seed;

    /** Who lives on the machines. */
    Function<SimulatedCluster, List<? extends Wing>> wings = Wings::outbox;

    /** Number of machines. */
    int nodes = 3;

    /** Numbers of copies that puts ask for, one of them drawn for each. */
    List<Integer> failures = List.of(1);

    /** Number of queues. */
    int queues = 1;

    /** Settings of the protocols. */
    ProtocolConfig config = ProtocolConfig.defaults();

    /** Shortest time of a way. */
    long delayNanos = 5 * World.MILLIS;

    /** What a frame may take longer. */
    long jitterNanos = World.MILLIS;

    /** Other settings of the network. */
    SimulatedNetwork.Settings network = SimulatedNetwork.Settings.defaults();

    /** Speed of the disks. */
    SimulatedDisk.Speed disk = new SimulatedDisk.Speed(20_000, 400_000, 100_000);

    /** Of the loops. */
    Pace pace = new Pace(20_000, 16);

    /** Clocks run fast or slow by at most so many millionths. */
    int driftPpm = 50;

    /** Whether they do by exactly so many. */
    boolean isDriftFull;

    /** How many machines fail together, if nothing else is said. */
    int machinesPerSite = 1;

    /** Which kinds of trouble happen. */
    EnumSet<Fault> faults = EnumSet.noneOf(Fault.class);

    /** How they happen, null for what fits the settings of the protocols. */
    Nemesis.Plan plan;

    /** Mean time between two troubles. */
    long faultGapNanos = World.SECONDS;

    /** How many stores may be lost for ever. */
    int lossesMax = 3;

    /** The longest time from the birth until clients begin. */
    long warmUpMax = 5 * World.SECONDS;

    /** Length of the phase with trouble. */
    long durationNanos = World.SECONDS;

    /** How long each wing may take to come to its end after all trouble; below 0 for what fits the settings. */
    long patienceNanos = -1;

    /** Mean time between two calls of a producer. */
    long putGapNanos = World.SECONDS;

    /** Most puts in a call. */
    int putBatchMax = 1;

    /** How applications behave. */
    ConsumerModel consumer = new ConsumerModel(World.MILLIS, World.MILLIS, 10, 0, 0, 0, 0);

    /** How many of the puts are part of a transaction that ends later. */
    int preparedPercent;

    /** Whether nobody but the process in which a transaction ran knows what became of it, while that process lives. */
    boolean onlyProducersKnow;

    /** What differs from the protocols as they are delivered. */
    Rules rules = Rules.delivered();

    /** Circumstances besides trouble. */
    Breadth breadth = Breadth.none();

    SimulationOptions(long seed) {
        this.seed = seed;
    }

    /**
     * What differs from the protocols as they are delivered.
     *
     * @param selection who gets copies
     * @param removesOnReturn whether who cedes removes its copies, as the papers do
     */
    record Rules(PeerSelection selection, boolean removesOnReturn) {
        /** Nothing. */
        static Rules delivered() {
            return new Rules(PeerSelection.random(), false);
        }

        /** Owners in the order of names. */
        static Rules fixed(int nodes) {
            List<NodeId> order = new ArrayList<>();
            for (int i = 1; i <= nodes; i++) {
                order.add(NodeId.of("n" + i));
            }
            return new Rules(PeerSelection.fixed(order), false);
        }

        Rules removingOnReturn() {
            return new Rules(selection, true);
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
    record ConsumerModel(
            long workNanos,
            long markNanos,
            int window,
            int returnPercent,
            int deadPercent,
            int rereadPercent,
            int waitPercent) {}

    /** Nothing but what a scenario does happens: these nodes with this wing. */
    static SimulationOptions scenario(int nodes, Function<SimulatedCluster, ? extends Wing> wing) {
        SimulationOptions options = new SimulationOptions(1);
        options.nodes = nodes;
        options.machinesPerSite = 2;
        options.config =
                ProtocolConfig.builder().heartbeatAway(Duration.ofSeconds(2)).build();
        options.wings = cluster -> List.of(wing.apply(cluster));
        return options;
    }

    /** Those that come later are like those that were there first. */
    private Breadth.Machine machine(int number) {
        return breadth.machines().get((number - 1) % breadth.machines().size());
    }

    /** Settings of the machine with this number in this boot; numbers begin with 1. */
    ProtocolConfig config(int machine, int boot) {
        return breadth.machines().isEmpty() ? config : machine(machine).config(boot);
    }

    /** Who gets copies of the machine with this number. */
    PeerSelection selection(int machine) {
        return breadth.has(Breadth.Kind.SITES) ? machine(machine).selection() : rules.selection();
    }

    /** What the machine with this number fails together with. */
    String site(int machine) {
        return breadth.machines().isEmpty()
                ? "s" + (machine + machinesPerSite - 1) / machinesPerSite
                : machine(machine).site();
    }

    /** T_s + T_x, the longest of all nodes. */
    long failoverNanos() {
        return longest(ProtocolConfig::failoverAfter);
    }

    /** A time, in nanoseconds, at the node where it is longest. */
    long longest(Function<ProtocolConfig, Duration> time) {
        return configs().mapToLong(each -> time.apply(each).toNanos()).max().orElseThrow();
    }

    /** A time, in nanoseconds, at the node where it is shortest. */
    long shortest(Function<ProtocolConfig, Duration> time) {
        return configs().mapToLong(each -> time.apply(each).toNanos()).min().orElseThrow();
    }

    /** Whether a store is allowed to owe less than a few puts made at once may come to. */
    boolean hasTinyBacklog() {
        return configs().anyMatch(each -> each.storeBacklogBytesMax() < 10_000);
    }

    private Stream<ProtocolConfig> configs() {
        return IntStream.rangeClosed(1, nodes).boxed().flatMap(each -> Stream.of(config(each, 1), config(each, 2)));
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

    /** With other kinds of trouble; with none, no frame is lost either, and no store that is behind refuses. */
    SimulationOptions withFaults(Fault... kinds) {
        faults = EnumSet.noneOf(Fault.class);
        if (kinds.length == 0) {
            config = Breadth.builder(config)
                    .storeBacklogBytesMax(ProtocolConfig.defaults().storeBacklogBytesMax())
                    .build();
            network = SimulatedNetwork.Settings.defaults();
        }
        return withAlso(Set.of(kinds));
    }

    /** With these kinds of trouble as well. */
    SimulationOptions withAlso(Set<Fault> kinds) {
        faults.addAll(kinds);
        return this;
    }

    /**
     * With entries that wait for long, because the consumer is slow, and with nodes that remove what they cede: one who adopted
     * and dies takes the only copy along.
     */
    SimulationOptions thatRemovesOnReturn() {
        consumer = new ConsumerModel(40 * config.heartbeat().toNanos(), World.MILLIS, 1, 0, 0, 0, 0);
        lossesMax = 2;
        return withFaults(Fault.CRASH, Fault.DEATH).with(rules.removingOnReturn());
    }

    /** With entries that wait for long, so that they change hands often. */
    SimulationOptions withLongLives() {
        long work = 40 * config.heartbeat().toNanos();
        int percent = consumer.returnPercent();
        consumer = new ConsumerModel(
                work, World.MILLIS, 1, percent, consumer.deadPercent(), percent, consumer.waitPercent());
        return this;
    }

    /** With other rules. */
    SimulationOptions with(Rules other) {
        rules = other;
        return this;
    }
}
