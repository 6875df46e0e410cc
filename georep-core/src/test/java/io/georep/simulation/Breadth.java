package io.georep.simulation;

import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * What some runs have besides kinds of trouble: circumstances under which rules work that otherwise rest. Like kinds of
 * trouble they are drawn for each run, so that none hides the others.
 *
 * @param kinds which there are
 * @param machines settings of each machine
 * @param eras how often trouble is followed by healing
 * @param rangesMax ranges in a message
 * @param snapshotAfterBytes facts after which a snapshot is written
 * @param pairsMax pairs a read of the store answers at a time
 */
record Breadth(
        EnumSet<Kind> kinds, List<Machine> machines, int eras, int rangesMax, long snapshotAfterBytes, int pairsMax) {
    /** A circumstance. */
    enum Kind {
        /** Tombstones live little longer than T_s + T_x; nodes are away for longer, clocks jump by days. */
        ABSENCE,
        /** Trouble comes again after healing, each time with up to f lost stores. */
        ERAS,
        /** Up to twelve nodes and eleven copies. */
        CROWD,
        /** Each node has settings of its own. */
        MIXED,
        /** Messages, pages and snapshots are split although little is to be said. */
        SPLITS,
        /** Dozens of queues. */
        QUEUES,
        /** Each way has its delay and bandwidth. */
        WAYS,
        /** Nodes share sites, owners are chosen by each of the policies. */
        SITES,
        /** Some nodes join while others work. */
        NEWCOMERS,
        /** Frames of a broken connection arrive after those of the next one, some of them twice. */
        CONNECTIONS,
        /**
         * Each process hosts another protocol in one of two versions, or not at all, and half of the nodes send between their
         * messages what only later releases know.
         */
        SOFTWARE,
        /** Every other node hands over what it holds to those between, which forward it. */
        TARGETS,
        /** All wings live on the same nodes, each with clients and a judge. */
        WINGS,
        /** At first no node reaches another one. */
        ALONE,
        /** Nodes are born in two parts that do not reach each other: one alone, or any. */
        HALVES,
        /** All nodes have one seed. */
        ONE_SEED,
        /** Soon after the birth all stop, and a seed with an empty store begins again while the others are away. */
        EMPTIED,
        /** For hours after the birth nothing happens. */
        UPTIME,
        /** Now and then a queue or key is used that nobody used before. */
        NAMES,
        /** Soon after the birth all stop, and both seeds with empty stores begin again while the others are away. */
        BOTH_EMPTIED,
        /** After the birth nobody gets any time for years: all clocks have gone on. */
        YEARS,
        /** Some entries have a time to live, after which their consumer takes them no more. */
        EXPIRY,
        /** A restart finds other settings, T_s and T_x among them: every other boot of a node has the same. */
        RETUNED,
        /** Some nodes have limited certificates; in half of these runs they say of others what they may not. */
        LIMITED
    }

    /**
     * What differs from machine to machine.
     *
     * @param config settings of the first boot and of every other one
     * @param otherConfig those of the boots between
     */
    record Machine(ProtocolConfig config, ProtocolConfig otherConfig, PeerSelection selection, String site) {
        ProtocolConfig config(int boot) {
            return boot % 2 == 0 ? otherConfig : config;
        }
    }

    private static final double UPTIME_HOURS_MAX = 12;

    /** All times of nodes are so many times as long where they are up for hours, so that these cost less. */
    static final int SLOWER = 2;

    /** For how long nobody gets any time at most. */
    static final long YEARS_NANOS_MAX = 20 * 365 * 86_400 * World.SECONDS;

    private static final int EVERYTHING = Integer.MAX_VALUE;

    /** None. */
    static Breadth none() {
        return new Breadth(EnumSet.noneOf(Kind.class), List.of(), 1, 0, 0, EVERYTHING);
    }

    /** Of one kind that needs nothing else. */
    static Breadth of(Kind kind) {
        return new Breadth(EnumSet.of(kind), List.of(), 1, 0, 0, EVERYTHING);
    }

    /** Those of the time when seeds were fixed: what was added later is drawn later, so that the seeds keep their meaning. */
    static EnumSet<Kind> ofOld() {
        return EnumSet.range(Kind.ABSENCE, Kind.EXPIRY);
    }

    /** Any of all old kinds, by chance. */
    static EnumSet<Kind> drawKinds(RandomGenerator random) {
        EnumSet<Kind> kinds = EnumSet.noneOf(Kind.class);
        int chance = 10 + random.nextInt(50);
        for (Kind kind : ofOld()) {
            if (random.nextInt(100) < chance) {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    /** Draws what these kinds need for so many machines. */
    static Breadth draw(
            EnumSet<Kind> kinds, int nodes, ProtocolConfig config, RandomGenerator random, RandomGenerator restarts) {
        List<ProtocolConfig> configs = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            configs.add(kinds.contains(Kind.MIXED) ? mixed(config, random) : config);
        }
        for (int i = 0; i < nodes; i++) {
            configs.add(kinds.contains(Kind.RETUNED) ? mixed(config, restarts) : configs.get(i));
        }
        if (kinds.contains(Kind.ABSENCE)) {
            long longest = configs.stream()
                    .mapToLong(each -> each.failoverAfter().toNanos())
                    .max()
                    .orElseThrow();
            Duration life = Duration.ofNanos(longest + longest / 4);
            configs.replaceAll(each -> builder(each).tombstoneLife(life).build());
        }
        List<NodeId> order = new ArrayList<>();
        for (int i = 1; i <= nodes; i++) {
            order.add(NodeId.of("n" + i));
        }
        Collections.shuffle(order, new Random(random.nextLong()));
        int sites = 1 + random.nextInt(nodes);
        List<Machine> machines = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            PeerSelection selection = kinds.contains(Kind.SITES) ? selection(order, random) : PeerSelection.random();
            int site = kinds.contains(Kind.SITES) ? random.nextInt(sites) : i + 1;
            machines.add(new Machine(configs.get(i), configs.get(nodes + i), selection, "s" + site));
        }
        boolean splits = kinds.contains(Kind.SPLITS);
        return new Breadth(
                kinds,
                machines,
                kinds.contains(Kind.ERAS) ? 2 + random.nextInt(2) : 1,
                splits ? 1 + random.nextInt(3) : 0,
                splits ? 100 + random.nextInt(4000) : 0,
                splits ? 1 + random.nextInt(3) : EVERYTHING);
    }

    private static PeerSelection selection(List<NodeId> order, RandomGenerator random) {
        return switch (random.nextInt(5)) {
            case 0 -> PeerSelection.random();
            case 1 -> PeerSelection.nearest();
            case 2 -> PeerSelection.siteAware();
            case 3 -> keptUp(PeerSelection.fixed(order));
            default -> PeerSelection.nearest().atLeast(Duration.ofMillis(1 + random.nextInt(100)), false);
        };
    }

    /** Operators put whoever replaces a node at the end. */
    private static PeerSelection keptUp(PeerSelection named) {
        return (candidates, ownSite, count, random) -> {
            List<PeerSelection.Candidate> ordered = new ArrayList<>(named.order(candidates, ownSite, count, random));
            candidates.stream().filter(other -> !ordered.contains(other)).forEach(ordered::add);
            return ordered;
        };
    }

    /** Everything a node may decide for itself; how often it speaks is what others rely on, so that is the same. */
    private static ProtocolConfig mixed(ProtocolConfig config, RandomGenerator random) {
        long heartbeat = config.heartbeat().toNanos();
        long suspect = heartbeat * (3 + random.nextInt(3));
        ProtocolConfig.Builder mixed = builder(config)
                .heartbeatAway(Duration.ofNanos(heartbeat * (1 + random.nextInt(5))))
                .suspectAfter(Duration.ofNanos(suspect))
                .terminateAfter(Duration.ofNanos(heartbeat * (3 + random.nextInt(12))))
                .putTimeout(Duration.ofNanos(suspect * (4 + random.nextInt(5)) / 10))
                .reReplicateAfter(random.nextBoolean() ? null : Duration.ofNanos(heartbeat * random.nextInt(30)));
        random.nextBoolean(); // drew a setting that is gone
        return mixed.groupBytesMax(1024 << random.nextInt(9))
                .pendingPutsMax(20 + random.nextInt(1000))
                .cacheBytesMax(random.nextInt(3) == 0 ? 0 : random.nextInt(1_000_000))
                .build();
    }

    /** How long nothing happens: mostly little more than an hour, now and then many. */
    static long uptimeNanos(RandomGenerator random) {
        double hours = 1 + (UPTIME_HOURS_MAX - 1) * Math.pow(random.nextDouble(), 8);
        return (long) (hours * 3600 * World.SECONDS);
    }

    static ProtocolConfig slower(ProtocolConfig config) {
        Duration again = config.reReplicateAfter();
        return builder(config)
                .heartbeat(config.heartbeat().multipliedBy(SLOWER))
                .heartbeatAway(config.heartbeatAway().multipliedBy(SLOWER))
                .suspectAfter(config.suspectAfter().multipliedBy(SLOWER))
                .terminateAfter(config.terminateAfter().multipliedBy(SLOWER))
                .putTimeout(config.putTimeout().multipliedBy(SLOWER))
                .reReplicateAfter(again == null ? null : again.multipliedBy(SLOWER))
                .storeStallAfter(config.storeStallAfter().multipliedBy(SLOWER))
                .storeFailAfter(config.storeFailAfter().multipliedBy(SLOWER))
                .build();
    }

    static ProtocolConfig.Builder builder(ProtocolConfig config) {
        return ProtocolConfig.builder()
                .heartbeat(config.heartbeat())
                .heartbeatAway(config.heartbeatAway())
                .suspectAfter(config.suspectAfter())
                .terminateAfter(config.terminateAfter())
                .putTimeout(config.putTimeout())
                .tombstoneLife(config.tombstoneLife())
                .reReplicateAfter(config.reReplicateAfter())
                .groupBytesMax(config.groupBytesMax())
                .pendingPutsMax(config.pendingPutsMax())
                .cacheBytesMax(config.cacheBytesMax())
                .storeStallAfter(config.storeStallAfter())
                .storeFailAfter(config.storeFailAfter())
                .storeBacklogBytesMax(config.storeBacklogBytesMax());
    }

    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder(kinds + ", " + eras + " eras, " + rangesMax + " ranges in a message, snapshot"
                        + " after " + snapshotAfterBytes + " bytes, " + pairsMax + " pairs in a page");
        if (has(Kind.MIXED) || has(Kind.SITES) || has(Kind.RETUNED)) {
            machines.forEach(
                    each -> text.append("\n    ").append(each.site).append(' ').append(each.config));
        }
        if (has(Kind.RETUNED)) {
            machines.forEach(each -> text.append("\n    then ").append(each.otherConfig));
        }
        return text.toString();
    }

    boolean has(Kind kind) {
        return kinds.contains(kind);
    }

    /** Whether a node hands over what it holds. */
    boolean handsOver(NodeId id) {
        return has(Kind.TARGETS) && Integer.parseInt(id.value().substring(1)) % 2 == 0;
    }
}
