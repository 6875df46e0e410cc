package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Takes stores away from nodes of a {@link GeoCluster}, in half of the runs: as a rule one that all groups outlive, also while seats change;
 * and at the end of some runs all those of a group.
 */
final class GeoLosses {
    private final GeoCluster cluster;
    private final Random random;
    private final boolean isBusy;
    private GeoMember emptied;
    long stores;
    long inChanges;
    long groups;
    long restored;
    long back;
    long leftBehind;

    /** Those that are away with their stores, while groups go on without them. */
    private final List<GeoMember> away = new ArrayList<>();

    /** By group: the last slot in common. */
    private final TreeMap<Integer, Long> common = new TreeMap<>();

    GeoLosses(GeoCluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
        isBusy = random.nextInt(2) == 0;
    }

    void acts() {
        GeoMember leader = cluster.leader(random.nextInt(cluster.judge.groups()));
        GeoMember one = leader == null || random.nextBoolean() ? cluster.any(random) : leader;
        boolean isChanging = !cluster.isSettled();
        if (isBusy && (isChanging || random.nextInt(4) == 0) && mayLose(one)) {
            stores++;
            inChanges += isChanging ? 1 : 0;
            emptied = one;
            cluster.lose(List.of(one));
        }
    }

    /**
     * Whether all groups outlive the loss of a store: by the seats that are decided, by those before, of which some may not know yet that
     * they are over, and by those that are wanted.
     */
    boolean mayLose(GeoMember lost) {
        boolean isAnyUp = cluster.members.values().stream().anyMatch(GeoMember::runs);
        if (lost.isGone || !isAnyUp || !isSeated()) {
            return false;
        }
        for (int group = 0; group < cluster.judge.groups(); group++) {
            List<List<NodeId>> seats = new ArrayList<>(cluster.judge.seats(group));
            if (group < cluster.layout().groups().size()) {
                seats.add(cluster.layout().groups().get(group));
            }
            if (cluster.judge.decided()[group] == 0 || !seats.stream().allMatch(each -> outlive(each, List.of(lost)))) {
                return false;
            }
        }
        return true;
    }

    private boolean outlive(List<NodeId> seats, List<GeoMember> lost) {
        long left = seats.stream()
                .map(cluster.members::get)
                .filter(each -> each != null && !each.isGone && !lost.contains(each))
                .count();
        return !(seats.stream().anyMatch(each -> lost.contains(cluster.members.get(each)))) || 2 * left > seats.size();
    }

    /** Whether the node that lost its store last has all its votes again, and enough know it. */
    private boolean isSeated() {
        return emptied == null
                || IntStream.range(0, cluster.judge.groups())
                        .filter(group -> cluster.judge.seats(group).get(0).contains(emptied.id))
                        .allMatch(this::isSeated);
    }

    private boolean isSeated(int group) {
        GeoMember leader = cluster.leader(group);
        ReplicatedLog log = leader == null ? null : leader.node.log(group);
        return log != null
                && !log.isChangingSeats()
                && log.seats().list().contains(new Seat(emptied.id, emptied.store));
    }

    /** In the midst of all a majority of a group is lost, some for good, and an operator lets it go on from the best copy that is left. */
    void strikes() {
        if (random.nextInt(3) > 0) {
            return;
        }
        cluster.heal();
        cluster.bootAll();
        cluster.run(8_000 * GeoCluster.MILLI);
        int group = random.nextInt(cluster.judge.groups());
        List<NodeId> voters = new ArrayList<>(cluster.judge.seats(group).get(0));
        List<NodeId> left = new ArrayList<>(cluster.layout().nodes());
        Collections.shuffle(voters, random);
        voters = voters.subList(0, voters.size() - random.nextInt((voters.size() + 1) / 2));
        left.removeAll(voters);
        if (left.isEmpty() || !isQuiet()) {
            return;
        }
        restored++;
        GeoMember leader = cluster.leader(group);
        for (NodeId each : left) { // it knows less, most often, if it does not hear the leader
            boolean isDeaf = leader != null && random.nextBoolean();
            cluster.cut(isDeaf ? leader.id : any(cluster.judge.seats(group).get(0)), each);
        }
        cluster.run(random.nextInt(300) * GeoCluster.MILLI);
        for (GeoMember each : voters.stream().map(cluster.members::get).toList()) {
            int way = random.nextInt(3);
            if (way == 0 && mayBeGone()) {
                each.crash();
                each.isGone = true;
            } else if (way < 2) {
                cluster.crash(each);
                each.isGone = true;
                away.add(each);
            } else {
                cluster.lose(List.of(each));
            }
        }
        cluster.heal();
        cluster.bootAll();
        cluster.run(12_000 * GeoCluster.MILLI);
        for (int each = 0; each < cluster.judge.groups(); each++) {
            if (cluster.leader(each) == null) {
                restore(each, voters);
            }
        }
        comeBack();
    }

    /** They learn that groups have gone on without them, and say nothing more. Whoever has more than those is emptied, as it says. */
    private void comeBack() {
        for (GeoMember each : away) {
            back++;
            each.isGone = false;
            each.isLeft = common.entrySet().stream()
                    .anyMatch(group -> group.getKey() < each.disk.size()
                            && each.disk.get(group.getKey()).decided > group.getValue());
        }
        cluster.bootAll();
        cluster.run(5_000 * GeoCluster.MILLI);
        for (GeoMember each : away) {
            assertThat(each.node.isLeftBehind())
                    .as("%s is left behind", each.id)
                    .isEqualTo(each.isLeft);
            assertThat(cluster.leftBehind.containsKey(each.id))
                    .as("%s says that it is left behind", each.id)
                    .isEqualTo(each.isLeft);
            for (int group = 0; each.isLeft && group < each.node.groups(); group++) {
                assertThat(each.node.log(group).leads()).as("%s leads", each.id).isFalse();
            }
            if (each.isLeft) {
                leftBehind++;
                cluster.lose(List.of(each));
                cluster.run(5_000 * GeoCluster.MILLI);
            }
        }
        away.clear();
    }

    private NodeId any(List<NodeId> nodes) {
        return nodes.get(random.nextInt(nodes.size()));
    }

    /** All groups that were asked for are there, and nobody is gone whose place is not taken. */
    private boolean isQuiet() {
        boolean allUp = cluster.layout().nodes().stream()
                .map(cluster.members::get)
                .noneMatch(each -> each.isGone || !each.runs());
        return allUp
                && cluster.isSettled()
                && isSeated()
                && cluster.members.values().stream()
                        .filter(GeoMember::runs)
                        .allMatch(each -> each.node.groups() == cluster.judge.groups());
    }

    /** One at a time: its votes in other groups are given to somebody else in the end. */
    private boolean mayBeGone() {
        return cluster.layout().nodes().stream()
                .map(cluster.members::get)
                .noneMatch(each -> each.isGone && !away.contains(each));
    }

    private void restore(int group, List<NodeId> lost) {
        List<NodeId> voters = cluster.judge.seats(group).get(0);
        List<GeoMember> able = cluster.members.values().stream()
                .filter(each -> each.runs() && !lost.contains(each.id) && group < each.node.groups())
                .filter(each -> cluster.layout().nodes().contains(each.id))
                .toList();
        long most = able.stream()
                .mapToLong(each -> each.node.log(group).decided())
                .max()
                .orElseThrow();
        List<GeoMember> those = able.stream()
                .filter(each -> each.node.log(group).decided() == most)
                .toList();
        GeoMember best = those.get(new Random(most).nextInt(those.size())); // whatever else it has in its log
        List<NodeId> next = new ArrayList<>(cluster.layout().nodes());
        next.remove(best.id);
        next.removeIf(each -> cluster.members.get(each).isGone);
        next.add(0, best.id);
        common.put(group, best.node.log(group).decided());
        String why = cluster.restore(
                best,
                group,
                lost.stream()
                        .filter(name -> voters.contains(name)
                                || !cluster.members.get(name).runs())
                        .toList(),
                next.subList(0, Math.min(3, next.size())));
        assertThat(why).as("group %d at %s", group, best.id).isNull();
        cluster.run(10_000 * GeoCluster.MILLI);
        assertThat(cluster.leader(group)).as("leads group %d", group).isNotNull();
    }

    private List<Boolean> led() {
        return IntStream.range(0, cluster.judge.groups())
                .mapToObj(group -> cluster.leader(group) != null)
                .toList();
    }

    /** All voters of a group lose their stores, and others that are named have theirs. */
    void ends() {
        int group = random.nextInt(cluster.judge.groups());
        List<NodeId> voters = cluster.judge.seats(group).get(0);
        if (!isBusy || voters.containsAll(cluster.layout().nodes())) {
            return;
        }
        groups++;
        List<GeoMember> lost = voters.stream().map(cluster.members::get).toList();
        cluster.lose(lost);
        for (int step = 0; step < 20; step++) {
            cluster.run(1000 * GeoCluster.MILLI);
            assertThat(cluster.leader(group)).as("leads group %d", group).isNull();
            if (random.nextInt(4) == 0) {
                cluster.bounce(cluster.any(random), 2000);
            }
        }
        List<Boolean> outlive = IntStream.range(0, cluster.judge.groups())
                .mapToObj(each -> outlive(cluster.judge.seats(each).get(0), lost))
                .toList();
        cluster.runUntil(() -> led().equals(outlive) && !cluster.lost.isEmpty(), 20_000 * GeoCluster.MILLI);
        assertThat(led()).as("which groups are led").isEqualTo(outlive);
        // Without the first group an emptied node knows no group that was added, so it cannot say that it has lost it.
        assertThat(cluster.lost.keySet()).as("what is told").containsAnyOf(group, 0);
    }
}
