package io.georep.flagons.core;

import io.georep.flagons.FleetConsistency;
import io.georep.flagons.core.FleetSimulation.Member;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * EpTO inside of the group only, which DataFlagons leaves for later. The nodes are the same; what they send is taken from them as it leaves,
 * and goes from who has made it straight to the group of its key, whose members pass it on among themselves. Everybody else hears nothing of it.
 * Prints a table beside the way it is done; arguments: numbers of nodes.
 */
final class GroupsOnly {
    /** Who makes an event sends it to so many nodes of the group, or on the way there. */
    private static final int WAYS = 3;

    private static final long WARM_MILLIS = 12_000;
    private static final double RATE = 10;
    private static final List<String> OF_OPERATIONS = List.of("Ball", "Hint", "Want", "Answer");

    /** A node sends a ball to one after the other; the first time, it goes where it is to go. */
    private final Set<Ball> sent = Collections.newSetFromMap(new WeakHashMap<>());

    /** Sends a ball that a node has made. */
    void leaves(FleetSimulation fleet, Member from, Ball ball) {
        if (sent.add(ball)) {
            GroupView group = from.node.group();
            send(fleet, from, ball, position -> group.range().has(position) ? group.members() : ways(group, position));
        }
    }

    private static List<Contact> ways(GroupView group, long position) {
        int own = Long.numberOfLeadingZeros(group.self().position() ^ position);
        List<Contact> nearer = group.nearest(position, WAYS).stream()
                .map(Aged::contact)
                .filter(each -> Long.numberOfLeadingZeros(each.position() ^ position) > own)
                .toList();
        return nearer.isEmpty() ? next(group, position) : nearer;
    }

    private static List<Contact> next(GroupView group, long position) {
        Contact next = group.nextTo(position);
        return next == null ? List.of() : List.of(next);
    }

    /** Takes a ball that comes to a node, and returns what it is to hear of it; the rest is passed on at once. */
    Ball arrives(FleetSimulation fleet, Member at, Ball ball) {
        GroupView group = at.node.group();
        send(fleet, at, ball, position -> group.range().has(position) ? List.of() : next(group, position));
        return part(
                ball,
                numbers(ball).stream()
                        .filter(i -> group.range().has(ball.event(i).operation().position()))
                        .toList());
    }

    private interface Targets {
        List<Contact> of(long position);
    }

    private static void send(FleetSimulation fleet, Member from, Ball ball, Targets targets) {
        Map<Contact, List<Integer>> parts = new LinkedHashMap<>();
        for (int i : numbers(ball)) {
            targets.of(ball.event(i).operation().position())
                    .forEach(to ->
                            parts.computeIfAbsent(to, any -> new ArrayList<>()).add(i));
        }
        parts.forEach((to, part) -> fleet.send(from, to, part(ball, part)));
    }

    private static List<Integer> numbers(Ball ball) {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < ball.size(); i++) {
            all.add(i);
        }
        return all;
    }

    private static Ball part(Ball ball, List<Integer> numbers) {
        return new Ball(
                numbers.stream().map(ball::event).toList(),
                numbers.stream().mapToLong(ball::age).toArray());
    }

    /** What was measured in one run. */
    record Figures(FleetJudge judge, double bytesOfOperation, double bytesPerSecond, double heardBy) {
        long answeredAfter() {
            return judge.answers.latency / Math.max(1, judge.answers.answered());
        }
    }

    /** Runs a fleet with as many puts of 95 bytes as gets. */
    static Figures measured(int nodes, boolean groupsOnly, double loss, double churn, long millis) {
        FleetRun run = new FleetRun();
        run.nodes = nodes;
        // A group is small, so its members send each other whole events at once.
        run.settings = FleetSettings.hardened(groupsOnly ? 300 : nodes);
        run.groupsOnly = groupsOnly ? new GroupsOnly() : null;
        run.loss = loss;
        run.churn = churn;
        run.rate = 0;
        run.millis = WARM_MILLIS + millis + run.quietMillis;
        int[] made = new int[1];
        long[] all = new long[1];
        run.script = fleet -> {
            run.countsBytes = fleet.now >= WARM_MILLIS;
            all[0] = fleet.now == WARM_MILLIS + millis ? fleet.bytes : all[0];
            boolean isOn = run.countsBytes && fleet.now < WARM_MILLIS + millis;
            if (isOn && fleet.random.nextDouble() < RATE / 1000) {
                Slice key = Slice.utf8("key" + fleet.random.nextInt(100));
                RequestId request = new RequestId(9, made[0]++);
                Slice value = Slice.utf8("v".repeat(90) + fleet.now);
                FleetOperation operation = fleet.random.nextBoolean()
                        ? new FleetOperation(request, FleetOperation.Kind.PUT, key, value)
                        : new FleetOperation(request, FleetOperation.Kind.GET, key, null);
                fleet.submit(fleet.any(), operation, FleetConsistency.ORDERED, OrderKey.FIRST, 1, outcome -> {});
            }
        };
        FleetSimulation fleet = new FleetSimulation(run);
        FleetJudge judge = fleet.run();
        double ofOperations = OF_OPERATIONS.stream()
                .mapToLong(type -> fleet.bytesByType.getOrDefault(type, 0L))
                .sum();
        return new Figures(judge, ofOperations / nodes / made[0], all[0] * 1000.0 / millis / nodes, judge.heardBy());
    }

    public static void main(String[] args) {
        System.out.println("| nodes | loss, replaced every five seconds | an operation is heard of by |"
                + " bytes of it, a node | all bytes a second, a node | answered after | holes | wrong gets |"
                + "\n|---|---|---|---|---|---|---|---|");
        for (String nodes : args) {
            for (double trouble : new double[] {0, .1}) {
                for (boolean groupsOnly : new boolean[] {false, true}) {
                    row(Integer.parseInt(nodes), groupsOnly, trouble / 2, trouble);
                }
            }
        }
    }

    private static void row(int nodes, boolean groupsOnly, double loss, double churn) {
        // Few hear of an operation of a group, so it takes longer to count them.
        Figures figures = measured(nodes, groupsOnly, loss, churn, groupsOnly ? 100_000 : 20_000);
        System.out.printf(
                Locale.ROOT,
                "| %d | %.0f %%, %.0f %% | %s: %.0f | %.0f | %.0f | %d ms | %d of %d | %d of %d |%n",
                nodes,
                loss * 100,
                churn * 100,
                groupsOnly ? "its group" : "all",
                figures.heardBy,
                figures.bytesOfOperation,
                figures.bytesPerSecond,
                figures.answeredAfter(),
                figures.judge.holes,
                figures.judge.pairs,
                figures.judge.answers.wrongGets,
                figures.judge.answers.gets);
        System.err.println(figures.judge);
    }
}
