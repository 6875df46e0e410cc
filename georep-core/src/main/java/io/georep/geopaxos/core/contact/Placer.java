package io.georep.geopaxos.core.contact;

import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Executor.Outcome;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.Uses;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.placement.CostModel;
import io.georep.geopaxos.core.placement.MovePolicy;
import io.georep.geopaxos.core.placement.SiteCounts;
import io.georep.geopaxos.core.placement.UsageTable;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gives objects to the groups near those who use them. One node decides: the leader of the first group that has a leader. It counts the
 * operations that it executes, for the group nearest to the node that asked. The other nodes report their distances to the groups, and
 * what they have read without a message. If two nodes believe that they decide, a move takes effect only if its objects are where its
 * proposer believes them to be.
 */
public final class Placer {
    /** The most objects whose uses are counted. */
    private static final int OBJECTS_MAX = 100_000;

    /** The most objects in one report. */
    static final int REPORTED_MAX = 4096;

    /** The most objects that are looked at in one period. */
    private static final int LOOKED_MAX = 1024;

    /** The most objects of one move: operations that use them wait for it. */
    static final int MOVED_MAX = 64;

    /** The most objects of one operation that are counted. */
    private static final int TRACED_MAX = 256;

    /** What it needs of the rest of the node. */
    public interface Host {
        void send(NodeId to, GeoMessage message);

        /** Orders a move; returns whether it did. */
        boolean move(long[] objects, int from, int to);
    }

    private record Pair(int from, int to) {}

    private final NodeId self;
    private final GeoGroups groups;
    private final Executor executor;

    private final List<GroupLog> logs;
    private final Rules rules;
    private final Host host;
    private UsageTable usage;

    /** For how many groups {@link #usage} counts. */
    private int sites;

    /** Microseconds from nodes to the homes of all groups. */
    private final Map<NodeId, List<Integer>> delays = new HashMap<>();

    /** Microseconds that each group takes to decide, as its leader told last. */
    private final int[] rounds = new int[GeoGroups.MAX];

    /** Reads of this node that nobody else knows of. */
    private final TreeMap<Long, Integer> reads = new TreeMap<>();

    /** Moves of this node that are not executed. */
    private final Set<Pair> underWay = new HashSet<>();

    private boolean decides;

    /** Groups with a leader when the last turn ended. */
    private int led;

    /** By group: since when it has had a leader, or has had none. */
    private final long[] ledSince;

    private long nextAt;

    public Placer(
            NodeId self, GeoGroups groups, Executor executor, List<GroupLog> logs, Rules rules, Host host, long now) {
        this.self = self;
        this.groups = groups;
        this.executor = executor;
        this.logs = logs;
        this.rules = rules;
        this.host = host;
        sites = groups.count();
        usage = new UsageTable(sites, OBJECTS_MAX);
        Arrays.fill(rounds, CostModel.DELAY_MICROS_MAX);
        ledSince = new long[GeoGroups.MAX];
        Arrays.fill(ledSince, now - patience());
        nextAt = now + groups.placementPeriod();
    }

    /** Until nothing is ordered any more that would wait for a group that died. */
    private long patience() {
        return Math.max(
                groups.placementPeriod(),
                2 * GroupLog.UNLED_LEASES * groups.timing().lease());
    }

    private boolean isOff() {
        return groups.placementPeriod() == 0 || logs.size() == 1;
    }

    /** A group that was added is a site more: it is counted anew. */
    private UsageTable usage() {
        if (sites != logs.size()) {
            sites = logs.size();
            usage = new UsageTable(sites, OBJECTS_MAX);
        }
        return usage;
    }

    /** An attempt has come to its turn here. */
    public void executed(Operation operation, Outcome outcome) {
        if (operation.kind() == Operation.MOVE && operation.id().contact().equals(self)) {
            Move move = Move.read(operation.body());
            underWay.remove(new Pair(move.from(), move.to()));
        }
        int site = decides && operation.isForService() && outcome == Outcome.EXECUTED
                ? nearest(operation.id().contact())
                : -1;
        if (site >= 0) {
            int[] left = {TRACED_MAX};
            executor.service().traceUse(operation.body(), (object, write) -> {
                usage().count(object, site, write ? 0 : 1, write ? 1 : 0);
                return --left[0] > 0;
            });
        }
    }

    /** This node has read objects so many times without asking anybody. */
    public void read(Uses uses, int times) {
        if (isOff()) {
            return;
        }
        for (long object : uses.objects().keySet()) {
            if (reads.size() < REPORTED_MAX || reads.containsKey(object)) {
                reads.merge(object, times, (some, more) -> (int) Math.min(SiteCounts.MAX, (long) some + more));
            }
        }
    }

    /** Takes the report of another node: what it has read, and how far it is from the groups. */
    public void onReport(NodeId from, GeoMessage.Report report, long now) {
        delays.put(from, report.delays());
        for (int group = 0; group < Math.min(report.rounds().size(), logs.size()); group++) {
            boolean leads = from.equals(logs.get(group).log().leader(now));
            rounds[group] = leads ? report.rounds().get(group) : rounds[group];
        }
        int site = nearest(from);
        if (decides && site >= 0) {
            report.reads().forEach((object, count) -> usage().count(object, site, count, 0));
        }
    }

    /** This node has taken the state of another one, in which the moves under way may be executed already. */
    public void restored() {
        underWay.clear();
    }

    public void endOfTurn(long now) {
        if (isOff()) {
            return;
        }
        NodeId decider = decider(now);
        if (!decides) {
            usage().clear(); // of another time
        }
        boolean isChange = decides != self.equals(decider);
        decides = self.equals(decider);
        int steady = steady(now);
        int changed = led ^ GroupLog.led(logs, now);
        led ^= changed;
        for (int left = changed; left != 0; left &= left - 1) {
            ledSince[Integer.numberOfTrailingZeros(left)] = now;
        }
        // One that comes and goes all the time stops the moves from it and to it only.
        if (isChange || (changed & steady) != 0) {
            nextAt = now + patience();
        }
        if (now - nextAt < 0) {
            return;
        }
        nextAt = now + groups.placementPeriod();
        GeoMessage.Report report = new GeoMessage.Report(
                of(each -> groups.nearness().nanosTo(each.home())),
                of(each -> each.round(groups.nearness())),
                new TreeMap<>(reads));
        delays.put(self, report.delays());
        if (decider != null) {
            reads.clear();
        }
        if (decides) {
            onReport(self, report, now);
            decide(now);
        } else if (decider != null) {
            host.send(decider, report);
        }
    }

    /** Returns the groups that have had a leader for long, or none for long. */
    private int steady(long now) {
        long patience = patience();
        int steady = 0;
        for (int group = 0; group < ledSince.length; group++) {
            steady |= now - ledSince[group] >= patience ? 1 << group : 0;
        }
        return steady;
    }

    /** Returns who has used an object; null if this node does not count that, or has counted nothing. */
    @Nullable
    public SiteCounts uses(long object) {
        return decides ? usage().known(object) : null;
    }

    /** Returns the node that decides; null if no group has a leader. */
    @Nullable
    public NodeId decider(long now) {
        for (GroupLog log : logs) {
            NodeId leader = log.log().leader(now);
            if (leader != null) {
                return leader;
            }
        }
        return null;
    }

    private List<Integer> of(ToLongFunction<GroupLog> nanos) {
        return logs.stream()
                .map(each -> (int) Math.min(CostModel.DELAY_MICROS_MAX, Math.max(0, nanos.applyAsLong(each) / 1000)))
                .toList();
    }

    private List<Integer> delays(NodeId node) {
        List<Integer> known = new ArrayList<>(delays.getOrDefault(node, List.of()));
        while (known.size() < logs.size()) {
            known.add(CostModel.DELAY_MICROS_MAX);
        }
        return known.subList(0, logs.size());
    }

    /** Returns the group that is nearest to a node; -1 if that is not known. */
    private int nearest(NodeId node) {
        List<Integer> known = delays(node);
        int least = Collections.min(known);
        return least == CostModel.DELAY_MICROS_MAX ? -1 : known.indexOf(least);
    }

    /** Returns the model. What was not measured counts as very far. */
    private CostModel model() {
        int[][] all = new int[logs.size()][logs.size()];
        for (int from = 0; from < all.length; from++) {
            for (int to = 0; to < all.length; to++) {
                int there = delays(logs.get(from).home()).get(to);
                int back = delays(logs.get(to).home()).get(from);
                all[from][to] = from == to ? 0 : Math.min(there, back);
            }
        }
        return new CostModel(all, rounds());
    }

    /** Returns what a site waits for the decision of a group, beyond the way there and back, by site and group. */
    private int[][] rounds() {
        int[][] all = new int[logs.size()][logs.size()];
        for (int site = 0; site < all.length; site++) {
            for (int group = 0; group < all.length; group++) {
                boolean waits = logs.get(group).waitsForLeader(logs.get(site).home());
                boolean isUnknown = rounds[group] == CostModel.DELAY_MICROS_MAX;
                all[site][group] = waits || isUnknown ? rounds[group] : 0;
            }
        }
        return all;
    }

    private void decide(long now) {
        MovePolicy policy = new MovePolicy(model(), rules.movePaysWrites);
        int atHome = 0;
        for (int group = 0; group < logs.size(); group++) {
            atHome |= logs.get(group).home().equals(logs.get(group).log().leader(now)) ? 1 << group : 0;
        }
        int steady = led & steady(now);
        atHome &= steady;
        Map<Pair, List<Long>> moves = new LinkedHashMap<>();
        for (long object : usage().takeTouched(LOOKED_MAX)) {
            int present = executor.placement().of(object);
            if (!executor.service().has(object)) {
                usage.forget(object);
            } else if (mayMove(object, present, steady)) {
                int wish = policy.choose(usage.of(object), present, atHome);
                if (wish != present) {
                    moves.computeIfAbsent(new Pair(present, wish), unknown -> new ArrayList<>())
                            .add(object);
                }
            }
        }
        moves.forEach(this::move);
    }

    /** A move that waits for a dead group, or for what waits for one, holds up all who use its objects. */
    private boolean mayMove(long object, int present, int steady) {
        if (Integer.bitCount(steady) == logs.size()) {
            return true;
        }
        Footprint footprint = Footprint.objects(object);
        Uses uses = new Uses(Map.of(object, true));
        boolean isFree = (present & ~steady) == 0;
        for (int group = 0; isFree && group < logs.size(); group++) {
            isFree = (present >> group & 1) == 0 || !executor.waits(group, footprint, uses);
        }
        return isFree;
    }

    /** Orders moves, one batch after the other. Objects that do not fit are looked at again when they are used again. */
    private void move(Pair pair, List<Long> objects) {
        long[] batch =
                objects.stream().limit(MOVED_MAX).mapToLong(Long::longValue).toArray();
        if (!underWay.contains(pair) && host.move(batch, pair.from, pair.to)) {
            underWay.add(pair);
            Arrays.stream(batch).forEach(usage::forget);
        }
    }
}
