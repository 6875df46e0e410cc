package io.georep.flagons.core;

import io.georep.flagons.core.FleetSimulation.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * How seldom an event comes too late, by the age above which events are stable. One run tells it of all ages: for each
 * event that comes to a node, how old the oldest event behind it is there by then. With any larger age it would have been in
 * time. The page tells what it said.
 */
final class FleetHorizon {
    /** No age up to which it looks is larger. */
    private static final int ROUNDS_MAX = 40;

    private static final long GROWN_MILLIS = 4_000;
    private static final long THERE_MILLIS = 5_000;

    private record Heard(OrderKey key, long bornAt) {}

    /** An event, and which age each node would have needed. */
    private static final class Fate {
        final Member source;
        final long at;
        final Map<Member, Long> needed = new HashMap<>();

        Fate(Member source, long at) {
            this.source = source;
            this.at = at;
        }
    }

    private final Map<OrderKey, Fate> fates = new TreeMap<>();
    private final Map<Member, List<Heard>> recent = new HashMap<>();
    private final FleetSimulation fleet;
    private final FleetRun run;
    private final long[] late = new long[ROUNDS_MAX + 1];
    private long missed;
    private long pairs;
    private long holes;

    private FleetHorizon(FleetRun run) {
        this.run = run;
        run.heard = this::heard;
        fleet = new FleetSimulation(run);
    }

    private void heard(Member member, Ball ball) {
        long round = run.settings.roundMillis();
        List<Heard> known = recent.computeIfAbsent(member, any -> new ArrayList<>());
        while (!known.isEmpty() && fleet.now - known.get(0).bornAt() > (ROUNDS_MAX + 1) * round) {
            known.remove(0);
        }
        for (int i = 0; i < ball.size(); i++) {
            OrderKey key = ball.event(i).key();
            Fate fate = fates.computeIfAbsent(key, any -> new Fate(member, fleet.now));
            long age = Math.max(ball.age(i), fleet.wall(member) - FleetClock.millisOf(key.time()));
            if (!fate.needed.containsKey(member)) {
                long behind = known.stream()
                        .filter(each -> each.key().compareTo(key) > 0)
                        .mapToLong(each -> fleet.now - each.bornAt())
                        .max()
                        .orElse(0);
                fate.needed.put(member, behind);
                known.add(new Heard(key, fleet.now - age));
            }
        }
    }

    private void count() {
        holes = fleet.run().holes;
        for (Fate fate : fates.values()) {
            if (fate.needed.size() == 1 && fate.source.diedAt < fate.at + 1_000) {
                continue;
            }
            for (Member member : fleet.members) {
                boolean isGrown = member.bornAt == 0 || member.bornAt + GROWN_MILLIS <= fate.at;
                if (isGrown && member.diedAt > fate.at + THERE_MILLIS) {
                    pairs++;
                    Long needed = fate.needed.get(member);
                    missed += needed == null ? 1 : 0;
                    for (int rounds = 0; needed != null && rounds <= ROUNDS_MAX; rounds++) {
                        late[rounds] += needed > rounds * run.settings.roundMillis() ? 1 : 0;
                    }
                }
            }
        }
    }

    private static FleetRun run(int nodes, double loss, double churn, long seed) {
        FleetRun run = new FleetRun();
        run.nodes = nodes;
        run.settings = FleetSettings.hardened(nodes);
        run.loss = loss;
        run.churn = churn;
        run.seed = seed;
        run.millis = 21_000;
        run.quietMillis = 5_000;
        return run;
    }

    /** Takes the number of nodes, the first seed and how many, and the shares of loss and churn in percent; prints a row. */
    public static void main(String[] args) {
        int nodes = Integer.parseInt(args[0]);
        long first = Long.parseLong(args[1]);
        int seeds = Integer.parseInt(args[2]);
        double loss = Integer.parseInt(args[3]) / 100.0;
        double churn = Integer.parseInt(args[4]) / 100.0;
        long pairs = 0;
        long missed = 0;
        long holes = 0;
        long[] late = new long[ROUNDS_MAX + 1];
        for (long seed = first; seed < first + seeds; seed++) {
            FleetHorizon measured = new FleetHorizon(run(nodes, loss, churn, seed));
            measured.count();
            pairs += measured.pairs;
            missed += measured.missed;
            holes += measured.holes;
            for (int i = 0; i <= ROUNDS_MAX; i++) {
                late[i] += measured.late[i];
            }
        }
        StringBuilder row = new StringBuilder(String.format(
                Locale.ROOT,
                "| %d | %s %% | %s %% | %d seeds, %d pairs, %d holes | missed %.1e",
                nodes,
                args[3],
                args[4],
                seeds,
                pairs,
                holes,
                missed / (double) pairs));
        for (int rounds : new int[] {8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 30}) {
            row.append(String.format(Locale.ROOT, " | %d: %.1e", rounds, late[rounds] / (double) pairs));
        }
        System.out.println(row.append(" |"));
    }
}
