package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogTiming;
import io.georep.consensus.SlowLinks;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.Nearness;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Nodes and groups in a world of one seed: links that are slow, cut, held up, or lose everything; late disks; crashes; clocks that differ. */
final class GeoCluster extends SlowLinks {
    static final long MILLI = 1_000_000;

    /** Token of what operators ask. */
    static final long CHANGE = -1;

    final LogTiming timing;
    final Random random;
    final List<List<NodeId>> founders;
    final TreeMap<NodeId, GeoMember> members = new TreeMap<>();
    final GeoJudge<LeafService> judge;
    final GeoClients clients;
    final GeoStreams streams;
    final GeoLosses losses;
    private final List<NodeId> founding;
    private final Supplier<Rules> rules;
    private final Map<String, Integer> distance = new HashMap<>();
    final Map<Long, Slice> answers = new TreeMap<>();
    private final int snapshotEvery;

    /** Between the nodes one way, in milliseconds, by their order; null if links are slow by chance. Then disks are late by chance as well. */
    private final int[][] delays;

    private final long placementPeriod;
    private long stores;

    /** A5, planted from the next boots on: not only its contact asks again for what its groups did not cover. */
    boolean everybodyAsksAgain;

    /** What nodes have told of groups that nobody can lead any more, by group. */
    final Map<Integer, GeoEvent.StoresLost> lost = new TreeMap<>();

    /** What nodes have told that a group has gone on without. */
    final Map<NodeId, GeoEvent.LeftBehind> leftBehind = new TreeMap<>();

    GeoCluster(long seed, Supplier<Rules> rules) {
        this(seed, rules, layout(new Random(seed * 31 + 7)));
    }

    /** Three groups of three nodes each, or of fewer. */
    private static List<List<NodeId>> layout(Random random) {
        List<NodeId> names = new ArrayList<>();
        for (int i = 3 + random.nextInt(2); i > 0; i--) {
            names.add(0, NodeId.of("n" + i));
        }
        List<List<NodeId>> layout = new ArrayList<>();
        for (int group = 0; group < 3; group++) {
            List<NodeId> founding = new ArrayList<>(names);
            Collections.rotate(founding, -group);
            layout.add(List.copyOf(founding.subList(0, 3)));
        }
        if (random.nextInt(3) == 0) {
            layout.replaceAll(each -> each.subList(0, 1 + random.nextInt(3)));
        }
        return layout;
    }

    GeoCluster(long seed, Supplier<Rules> rules, List<List<NodeId>> founders) {
        this(seed, rules, founders, null, seed % 2 * 2000 * MILLI);
    }

    /** A world without chance, if there are delays. */
    GeoCluster(long seed, Supplier<Rules> rules, List<List<NodeId>> founders, int[][] delays, long placementPeriod) {
        this.rules = rules;
        this.delays = delays;
        this.placementPeriod = placementPeriod;
        // Most messages of a life are heartbeats, which meet nothing when there is so little to do.
        timing = new LogTiming((delays == null ? 200 : 100) * MILLI, 1000 * MILLI, 50 * MILLI, 3000 * MILLI);
        this.founders = founders;
        random = new Random(seed);
        snapshotEvery = 4 << random.nextInt(8);
        List<NodeId> names =
                founders.stream().flatMap(List::stream).distinct().sorted().toList();
        judge = new GeoJudge<>(
                founders,
                new LeafService(),
                (name, group, slot) -> members.get(name).holds(group, slot));
        clients = new GeoClients(this, random.nextLong());
        streams = new GeoStreams(this, new Random(seed * 32_452_843 + 19));
        losses = new GeoLosses(this, new Random(seed * 15_485_863 + 11));
        founding = names;
        names.forEach(this::create);
        members.values().forEach(this::boot);
    }

    private GeoMember create(NodeId name) {
        GeoMember created = new GeoMember(name, this, 0.975 + 0.025 * random.nextInt(3), members.size());
        members.put(name, created);
        return created;
    }

    long nextStore() {
        return ++stores;
    }

    /** These lose their stores, all at once, and boot with new ones. */
    void lose(List<GeoMember> lost) {
        for (GeoMember each : lost) {
            each.crash();
            each.lose(judge.decided());
            boot(each);
        }
    }

    /** A node that nobody has named yet. */
    GeoMember add(String name) {
        GeoMember added = create(NodeId.of(name));
        boot(added);
        return added;
    }

    /** An operator asks a node for a change; returns why it cannot be. */
    String change(GeoMember contact, NodeId removed, NodeId added) {
        return change(contact, new GeoCommand.Change("operator", removed, added, false));
    }

    /** He lets a group go on from the copy of a node, with what all others have who are left; returns why it cannot be. */
    String restore(GeoMember contact, int group, List<NodeId> lost, List<NodeId> voters) {
        GeoCommand.Restore restore = new GeoCommand.Restore("operator", group, lost, voters, false);
        GeoEvent atOnce = contact.node.restorations().atOnce(restore, contact.now());
        if (atOnce == null) {
            long before = contact.node.log(group).seats().log();
            contact.refused.remove(CHANGE);
            contact.turn(() -> contact.node.restorations().restore(CHANGE, restore, contact.now()));
            runUntil(
                    () -> contact.refused.containsKey(CHANGE)
                            || contact.node.log(group).allegiance().hasGoneOnFrom(before),
                    10_000 * MILLI);
            assertThat(contact.refused).as("what became of the order").doesNotContainKey(CHANGE);
        }
        return atOnce instanceof GeoEvent.Refused refused ? refused.why() : null;
    }

    /** A node makes durable what it has written. It may go on with a group by that. */
    void stores(GeoMember member) {
        int group = member.node.restorations().ready();
        if (group >= 0) {
            List<GeoMember> survivors = members.values().stream()
                    .filter(each -> each.runs() && each.disk.size() > group)
                    .toList();
            judge.goesOn(group, member, survivors, new LeafService());
        }
    }

    /** He asks for one more group. */
    String addGroup(GeoMember contact, List<NodeId> voters) {
        return change(contact, new GeoCommand.Change("operator", null, null, voters, false));
    }

    private String change(GeoMember contact, GeoCommand.Change change) {
        GeoEvent atOnce = contact.node.membership().atOnce(change);
        if (atOnce == null) {
            contact.turn(() -> contact.node
                    .membership()
                    .ask(CHANGE, change.of(contact.node.membership().layout()), contact.now()));
        }
        return atOnce instanceof GeoEvent.Refused refused ? refused.why() : null;
    }

    /** Whether the seats of all groups are those that operators want, and enough of them know it. */
    boolean isSettled() {
        for (int group = 0; group < judge.groups(); group++) {
            GeoMember leader = leader(group);
            if (leader == null
                    || leader.node.log(group).isChangingSeats()
                    || !leader.node.membership().isSettled(group)) {
                return false;
            }
        }
        return true;
    }

    /** The layout that was ordered last, as far as those know who take part. */
    OrderedMapsLayout layout() {
        return members.values().stream()
                .filter(GeoMember::runs)
                .map(member -> member.node.membership().layout())
                .max(Comparator.comparingLong(OrderedMapsLayout::version))
                .orElseThrow();
    }

    GeoMember any(Random by) {
        List<GeoMember> all = List.copyOf(members.values());
        return all.get(by.nextInt(all.size()));
    }

    void boot(GeoMember member) {
        Nearness near = delays == null
                ? ThreeGroups.nearest(founders, member.place % 3)
                : node -> 2 * delay(member.id, node) * MILLI;
        GeoGroups groups = new GeoGroups(founding, founders, 1, near, timing, placementPeriod);
        Rules used = rules.get();
        used.movePaysWrites = delays == null ? 1 : used.movePaysWrites;
        used.oneRound = delays != null || (member.place + member.boots) % 2 == 0;
        used.snapshotEvery = snapshotEvery;
        used.pinnedMax = snapshotEvery;
        used.runsMax = delays == null ? 1 : used.runsMax;
        used.pageBytes = 32 * snapshotEvery;
        member.alarm = new Alarm();
        member.boot(new Random(random.nextLong()), groups, used);
        arm(member);
        members.values().forEach(other -> meet(member, other));
    }

    /** Two nodes are in reach of each other. */
    private void meet(GeoMember one, GeoMember other) {
        if (one != other && one.runs() && other.runs()) {
            one.turn(() -> one.node.meets(other.id, one.now()));
            other.turn(() -> other.node.meets(one.id, other.now()));
        }
    }

    @Override
    public void heal() {
        super.heal();
        members.values().forEach(one -> members.tailMap(one.id).values().forEach(other -> meet(one, other)));
    }

    void bootAll() {
        members.values().forEach(member -> {
            if (!member.runs() && !member.isGone) {
                boot(member);
            }
        });
    }

    private int delay(NodeId from, NodeId to) {
        List<NodeId> names = List.copyOf(members.keySet());
        return delays[names.indexOf(from)][names.indexOf(to)];
    }

    /** Where something is left to chance, timers are late by up to 10 ms. */
    private void arm(GeoMember member) {
        GeoPaxos node = member.node;
        long late = delays == null ? random.nextInt(10) * MILLI : 0;
        at(Math.max(now, member.due(node.nextDeadlineNanos())) + late, member.alarm, () -> {
            if (member.node == node && node.nextDeadlineNanos() - member.now() <= 0) {
                member.turn(() -> {});
            } else if (member.node == node) {
                arm(member);
            }
        });
    }

    void crash(GeoMember member) {
        if (random.nextBoolean()) {
            member.sync();
        }
        member.crash();
    }

    /** Crashes a member, and boots it after a while. */
    void bounce(GeoMember member, int most) {
        if (!member.runs()) {
            return;
        }
        crash(member);
        at(now + random.nextInt(most) * MILLI, () -> {
            if (!member.runs() && !member.isGone) {
                boot(member);
            }
        });
    }

    /** After each turn of a member. */
    void turned(GeoMember member) {
        arm(member);
        GeoPaxos node = member.node;
        if (!member.hasUnsynced()) {
            return;
        }
        long late = delays != null ? 0 : random.nextInt(50) == 0 ? 300 : random.nextInt(5);
        at(now + late * MILLI, () -> {
            if (member.node == node) {
                member.sync();
            }
        });
    }

    void send(GeoMember from, NodeId to, Slice message) {
        if (isCut(from.id, to)) {
            return;
        }
        long delay = delays != null ? delay(from.id, to) * MILLI : drawn(from.id, to);
        int boot = from.boots;
        carry(from.id, boot, to, delay, () -> {
            GeoMember receiver = members.get(to);
            boolean isOwn = to.equals(from.id);
            if (receiver.runs() && (!isOwn || receiver.boots == boot)) {
                receive(receiver, from.id, message);
            }
        });
    }

    private long drawn(NodeId from, NodeId to) {
        int far = distance.computeIfAbsent(from + ">" + to, unknown -> 5 + random.nextInt(90));
        return from.equals(to) ? 0 : (far + random.nextInt(20)) * MILLI;
    }

    /** What arrives at about the same time comes in one turn. */
    private void receive(GeoMember receiver, NodeId from, Slice message) {
        if (receiver.arrived(from, message)) {
            GeoPaxos node = receiver.node;
            at(now + (delays != null ? 0 : random.nextInt(3) * MILLI), () -> {
                if (receiver.node == node) {
                    receiver.turn(receiver::readAll);
                }
            });
        }
    }

    /** In the end all nodes hold the same. */
    void compareStates() {
        Map<NodeId, GeoPaxos> nodes = new TreeMap<>();
        layout().nodes().forEach(id -> nodes.put(id, members.get(id).node));
        judge.compareStates(nodes);
    }

    /** A node says that nobody can lead a group any more. */
    void storesLost(GeoEvent.StoresLost lost) {
        this.lost.put(lost.group(), lost);
    }

    /** Whether all groups have leaders. */
    boolean isLed() {
        for (int group = 0; group < judge.groups(); group++) {
            if (leader(group) == null) {
                return false;
            }
        }
        return true;
    }

    /** Whether all nodes have processed the same, and nothing that they asked for is under way. */
    boolean isEven() {
        List<GeoPaxos> nodes =
                layout().nodes().stream().map(id -> members.get(id).node).toList();
        long unlike =
                nodes.stream().map(node -> node.executor().slots()).distinct().count();
        return unlike == 1 && nodes.stream().allMatch(node -> node.underWay() == 0);
    }

    GeoMember leader(int group) {
        return members.values().stream()
                .filter(member -> member.runs()
                        && group < member.node.groups()
                        && member.node.log(group).hasLease(member.now()))
                .findFirst()
                .orElse(null);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        members.values().forEach(text::append);
        return text.toString();
    }

    /** Runs until all changes of nodes and groups have come to their ends. */
    void settle() {
        for (int wait = 0; wait < 60 && !isSettled(); wait++) {
            run(1000 * MILLI);
        }
        assertThat(isSettled()).as("%s", this).isTrue();
    }

    /** Lets the clients come to their ends, and compares what the nodes have. */
    void end() {
        clients.rest();
        for (int wait = 0; wait < 30 && clients.waiting() > 0; wait++) {
            run(1000 * MILLI);
        }
        assertThat(clients.waiting()).isZero();
        run(5 * 1000 * MILLI);
        compareStates();
    }
}
