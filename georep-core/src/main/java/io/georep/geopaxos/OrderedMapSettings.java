package io.georep.geopaxos;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Settings of ordered maps. Groups, replicas and transactions are the same on all nodes. Groups and replicas say with which nodes the
 * groups begin. Later changes are made by {@link OrderedMaps#replace}, {@link OrderedMaps#addReplica},
 * {@link OrderedMaps#removeReplica} and {@link OrderedMaps#addGroup}, not here.
 *
 * @param groups 1 to 12 lists of 1 to 7 voters, in different sites. The first voter of a group is its home, and leads it when it can. More
 *     than half of the voters of a group are needed for the keys that it has. All keys begin in the first group
 * @param replicas other nodes, which hold everything and take calls, at most 32
 * @param lease for how long the leader of a group may answer reads by itself, 100 ms to 1 h. If it dies, the keys of the group stand
 *     still for up to one and a half times as long
 * @param timeout how long a call may take, 1 ms to 1 h; then a write is indeterminate and a read unavailable
 * @param waitingMax most calls of this node that wait, 1 to 50,000; one whose time is over counts until it is answered
 * @param keysMax how many keys all maps may have together, at least 1. Operations that are under way may exceed this
 * @param bytesMax how many bytes keys and values may have together, at least 1; every node keeps them in memory
 * @param placement how often keys are given to the groups near those who use them, 100 ms to 1 h; zero: never
 * @param transactions that may be called
 */
public record OrderedMapSettings(
        List<List<NodeId>> groups,
        List<NodeId> replicas,
        Duration lease,
        Duration timeout,
        int waitingMax,
        int keysMax,
        long bytesMax,
        Duration placement,
        List<MapTransaction<?, ?>> transactions) {
    private static final int GROUPS_MAX = 12;
    private static final int VOTERS_MAX = 7;
    private static final int REPLICAS_MAX = 32;
    private static final int WAITING_LIMIT = 50_000;
    private static final Duration LEASE_MIN = Duration.ofMillis(100);
    private static final Duration PERIOD_MIN = Duration.ofMillis(100);
    private static final Duration TIME_MAX = Duration.ofHours(1);

    /** Checks all settings together; the message of the {@link ConfigurationException} names all that is wrong. */
    public OrderedMapSettings {
        groups = groups.stream().map(List::copyOf).toList();
        replicas = List.copyOf(replicas);
        transactions = List.copyOf(transactions);
        List<String> faults = new ArrayList<>();
        checkNodes(faults, groups, replicas);
        check(faults, isWithin(lease, LEASE_MIN), "lease", lease, LEASE_MIN + " to " + TIME_MAX);
        check(faults, isWithin(timeout, Duration.ofMillis(1)), "timeout", timeout, "PT0.001S to " + TIME_MAX);
        check(
                faults,
                waitingMax >= 1 && waitingMax <= WAITING_LIMIT,
                "waitingMax",
                waitingMax,
                "1 to " + WAITING_LIMIT);
        check(faults, keysMax >= 1, "keysMax", keysMax, "at least 1");
        check(faults, bytesMax >= 1, "bytesMax", bytesMax, "at least 1");
        boolean isPeriod = placement.isZero() || isWithin(placement, PERIOD_MIN);
        check(faults, isPeriod, "placement", placement, PERIOD_MIN + " to " + TIME_MAX + ", or zero");
        Set<String> names = new HashSet<>();
        for (MapTransaction<?, ?> each : transactions) {
            String id = each.name() + "/" + each.version();
            boolean isValid = !each.name().isEmpty() && each.name().length() <= 100 && each.version() >= 0;
            check(faults, isValid, "transaction", id, "names of 1 to 100 characters, versions from 0 on");
            check(faults, names.add(id), "transaction", id, "one of a name and version");
        }
        if (!faults.isEmpty()) {
            throw ConfigurationException.of(faults);
        }
    }

    private static void checkNodes(List<String> faults, List<List<NodeId>> groups, List<NodeId> replicas) {
        boolean isCount = !groups.isEmpty() && groups.size() <= GROUPS_MAX;
        check(faults, isCount, "groups", groups.size(), "1 to " + GROUPS_MAX);
        check(faults, replicas.size() <= REPLICAS_MAX, "replicas", replicas.size(), "0 to " + REPLICAS_MAX);
        Set<NodeId> homes = new HashSet<>();
        for (List<NodeId> voters : groups) {
            boolean isGroup = !voters.isEmpty() && voters.size() <= VOTERS_MAX;
            check(faults, isGroup, "voters", voters.size(), "1 to " + VOTERS_MAX);
            checkTwice(faults, Stream.concat(voters.stream(), replicas.stream()).toList());
            if (isGroup && !homes.add(voters.get(0))) {
                faults.add("node " + voters.get(0) + " of ordered maps is the home of two groups");
            }
        }
    }

    private static void checkTwice(List<String> faults, List<NodeId> nodes) {
        Set<NodeId> seen = new HashSet<>();
        nodes.stream()
                .filter(node -> !seen.add(node))
                .map(node -> "node " + node + " of ordered maps is named twice")
                .filter(fault -> !faults.contains(fault))
                .forEach(faults::add);
    }

    private static boolean isWithin(Duration time, Duration min) {
        return time.compareTo(min) >= 0 && time.compareTo(TIME_MAX) <= 0;
    }

    private static void check(List<String> faults, boolean isValid, String name, Object value, String allowed) {
        if (!isValid) {
            faults.add(name + " of ordered maps: " + value + ", allowed: " + allowed);
        }
    }

    /**
     * Returns settings with one group of these voters, no replicas, a lease of 2 s, calls of up to 10 s, 10,000 of which may wait, up
     * to 500,000 keys with 256 MiB, placement every 10 s, and no transactions.
     */
    public static OrderedMapSettings of(String... voters) {
        return new OrderedMapSettings(
                List.of(nodes(voters)),
                List.of(),
                Duration.ofSeconds(2),
                Duration.ofSeconds(10),
                10_000,
                500_000,
                256L << 20,
                Duration.ofSeconds(10),
                List.of());
    }

    private static List<NodeId> nodes(String... names) {
        return Stream.of(names).map(NodeId::of).toList();
    }

    /** Returns these settings with one more group of voters, for the site of the first one. */
    public OrderedMapSettings group(String... voters) {
        List<List<NodeId>> more = new ArrayList<>(groups);
        more.add(nodes(voters));
        return new OrderedMapSettings(
                more, replicas, lease, timeout, waitingMax, keysMax, bytesMax, placement, transactions);
    }

    /** Returns these settings with other replicas. */
    public OrderedMapSettings replicas(String... nodes) {
        return new OrderedMapSettings(
                groups, nodes(nodes), lease, timeout, waitingMax, keysMax, bytesMax, placement, transactions);
    }

    /** Returns these settings with other times. */
    public OrderedMapSettings times(Duration ofLease, Duration ofCalls) {
        return new OrderedMapSettings(
                groups, replicas, ofLease, ofCalls, waitingMax, keysMax, bytesMax, placement, transactions);
    }

    /** Returns these settings with another bound. */
    public OrderedMapSettings waitingMax(int calls) {
        return new OrderedMapSettings(
                groups, replicas, lease, timeout, calls, keysMax, bytesMax, placement, transactions);
    }

    /** Returns these settings with other bounds of what is kept: {@code keysMax} and {@code bytesMax}. */
    public OrderedMapSettings bounds(int keys, long bytes) {
        return new OrderedMapSettings(
                groups, replicas, lease, timeout, waitingMax, keys, bytes, placement, transactions);
    }

    /** Returns these settings with another time between two decisions on where keys belong; with zero keys stay where they are. */
    public OrderedMapSettings placement(Duration period) {
        return new OrderedMapSettings(
                groups, replicas, lease, timeout, waitingMax, keysMax, bytesMax, period, transactions);
    }

    /** Returns these settings with other transactions. */
    public OrderedMapSettings transactions(MapTransaction<?, ?>... known) {
        return new OrderedMapSettings(
                groups, replicas, lease, timeout, waitingMax, keysMax, bytesMax, placement, List.of(known));
    }

    /** Returns the nodes that vote in at least one group, as they are named. */
    public List<NodeId> voters() {
        return groups.stream().flatMap(List::stream).distinct().toList();
    }
}
