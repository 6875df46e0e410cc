package io.georep.flagons.core;

import io.georep.flagons.FleetConsistency;
import io.georep.flagons.core.FleetSimulation.Member;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sees everything in a simulated fleet, and says what is against the rules D1 to D12 of the page. */
final class FleetJudge {
    /** An event and who has delivered it. */
    static final class Fate {
        final Event event;
        final Member source;
        final long at;
        final BitSet delivered = new BitSet();

        Fate(Event event, Member source, long at) {
            this.event = event;
            this.source = source;
            this.at = at;
        }
    }

    /** Until then a node that joins is not in the views of others. */
    private static final long GROWN_MILLIS = 4_000;

    private static final long SETTLED_MILLIS = 6_000;

    /** After a split the views are mixed again by then. */
    private static final long REJOINED_MILLIS = 10_000;

    private final FleetSimulation fleet;
    private final Map<OrderKey, Fate> fates = new LinkedHashMap<>();
    private final Map<Integer, OrderKey> last = new HashMap<>();
    private final Map<Map.Entry<Integer, OrderKey>, Integer> relays = new HashMap<>();
    private final Set<Event> instant = new LinkedHashSet<>();
    private final Map<Range, Long> counts = new HashMap<>();
    final AnswerJudge answers;
    final List<String> violations = new ArrayList<>();
    long pairs;
    long holes;
    long lateAtGrown;
    long lost;
    long oldestDead;
    int groups;
    int smallest = Integer.MAX_VALUE;
    int largest;
    int wrongDepth;

    FleetJudge(FleetSimulation fleet) {
        this.fleet = fleet;
        answers = new AnswerJudge(fleet, this);
    }

    void violation(String what) {
        if (violations.size() < 20) {
            violations.add(fleet.now + ": " + what);
        }
    }

    /** D6: a node passes an event on in so many rounds, and then never again. Counted in small fleets only. */
    void relayed(Member from, Ball ball) {
        if (fleet.run.nodes > 50 || fleet.run.settings.paper()) {
            return;
        }
        for (int i = 0; i < ball.size(); i++) {
            int copies = relays.merge(Map.entry(from.index, ball.event(i).key()), 1, Integer::sum);
            if (copies > fleet.run.settings.relays() * fleet.run.settings.fanout()) {
                violation(
                        "D6 node " + from.index + " passes on " + ball.event(i).key() + " again");
            }
        }
    }

    void made(Member source, Event event, FleetConsistency consistency) {
        answers.made(event, consistency);
        boolean inOrder = consistency == FleetConsistency.ORDERED
                || (consistency == FleetConsistency.CONVERGING
                        && event.operation().changes());
        if (!inOrder) {
            if (event.operation().changes()) {
                instant.add(event);
            }
            return;
        }
        if (fates.put(event.key(), new Fate(event, source, fleet.now)) != null) {
            violation("D1 two events in place " + event.key());
        }
    }

    void delivered(Member at, Event event) {
        Fate fate = fates.get(event.key());
        if (fate == null) {
            violation("D1 delivered what nobody made: " + event);
            return;
        }
        OrderKey before = last.put(at.index, event.key());
        if (before != null && event.key().compareTo(before) <= 0) {
            violation("D2 D3 node " + at.index + " delivers " + event.key() + " after " + before);
        }
        if (at.node.epidemic().clock().latest() < event.key().time()) {
            violation("D6 the clock of node " + at.index + " is behind " + event.key());
        }
        fate.delivered.set(at.index);
    }

    void missed(Member at, Event event) {
        if (at.bornAt == 0 || fleet.now - at.bornAt > GROWN_MILLIS + SETTLED_MILLIS) {
            lateAtGrown++;
        }
    }

    /** Returns the operations that were made in the order so far. */
    List<FleetOperation> made() {
        return fates.values().stream().map(fate -> fate.event.operation()).toList();
    }

    /** Returns the keys of the events that a node has delivered. */
    Set<Slice> deliveredKeys(Member at) {
        Set<Slice> keys = new HashSet<>();
        fates.values().stream()
                .filter(fate -> fate.delivered.get(at.index))
                .forEach(fate -> keys.add(fate.event.operation().key()));
        return keys;
    }

    boolean isSplit(long at) {
        return at > fleet.run.splitFrom - SETTLED_MILLIS && at < fleet.run.splitTo + REJOINED_MILLIS;
    }

    /** Looks at the views of all. */
    void look() {
        for (Member member : fleet.alive) {
            Set<Long> seen = new HashSet<>();
            if (member.node.peers().entries().size() > fleet.run.settings.viewSize()) {
                violation("D11 the view of " + member.index + " is too large");
            }
            for (Known entry : member.node.peers().entries()) {
                if (!seen.add(entry.contact().id()) || entry.contact().id() == member.contact.id()) {
                    violation("D11 the view of " + member.index + " has itself, or somebody twice");
                }
                Member other = fleet.members.get(
                        Integer.parseInt(entry.contact().address().substring(1)));
                if (other.diedAt <= fleet.now) {
                    oldestDead = Math.max(oldestDead, fleet.now - other.diedAt);
                }
            }
        }
    }

    void end() {
        fates.values().forEach(this::judge);
        for (Member member : fleet.alive) {
            if (member.node.epidemic().waiting() > 0) {
                violation("D6 node " + member.index + " still holds "
                        + member.node.epidemic().waiting());
            }
        }
        answers.end(changes());
        judgeGroups();
    }

    private void judge(Fate fate) {
        if (fate.delivered.isEmpty()) {
            lost++;
        }
        if (fate.source.diedAt == Long.MAX_VALUE && !fate.delivered.get(fate.source.index)) {
            violation("D4 node " + fate.source.index + " has not delivered its own " + fate.event.key());
        }
        if (fate.delivered.isEmpty() && fate.source.diedAt < fate.at + 1_000) {
            return;
        }
        if (isSplit(fate.at)) {
            return;
        }
        for (Member member : fleet.members) {
            boolean grown = member.bornAt == 0 || member.bornAt + GROWN_MILLIS <= fate.at;
            if (grown && member.diedAt > fate.at + SETTLED_MILLIS && fleet.run.concerns(member, fate.event)) {
                pairs++;
                holes += fate.delivered.get(member.index) ? 0 : 1;
            }
        }
    }

    /**
     * All changes that count: somebody has them, or a client was told of them. Others got lost with their node, as may some of
     * the places of a request that was begun at several nodes.
     */
    private List<Event> changes() {
        List<Event> all = new ArrayList<>(instant);
        for (Fate fate : fates.values()) {
            if (fate.event.operation().changes()) {
                all.add(fate.event);
            }
        }
        all.removeIf(event -> !isKept(event) && (instant.contains(event) || !answers.isAnsweredAt(event)));
        return all;
    }

    private boolean isKept(Event event) {
        return fleet.alive.stream().anyMatch(member -> member.node.store().has(event.key()));
    }

    private void judgeGroups() {
        counts.clear();
        Map<Range, Integer> sizes = new HashMap<>();
        for (Member member : fleet.alive) {
            sizes.merge(member.node.group().range(), 1, Integer::sum);
            wrongDepth += member.node.self().depth() == depthOf(member) ? 0 : 1;
        }
        groups = sizes.size();
        sizes.values().forEach(size -> {
            smallest = Math.min(smallest, size);
            largest = Math.max(largest, size);
        });
    }

    /** The depth that follows from who is there. */
    private int depthOf(Member member) {
        int depth = 0;
        while (true) {
            Range range = Range.around(member.contact.position(), depth);
            long all = count(range);
            long lower = count(range.lower());
            FleetSettings settings = fleet.run.settings;
            if (all <= settings.groupMax() || lower < settings.groupMin() || all - lower < settings.groupMin()) {
                return depth;
            }
            depth++;
        }
    }

    private long count(Range range) {
        return counts.computeIfAbsent(
                range,
                any -> fleet.alive.stream()
                        .filter(each -> range.has(each.contact.position()))
                        .count());
    }

    /** Returns how many nodes deliver an event, in the mean. */
    double heardBy() {
        return fates.values().stream()
                .mapToInt(fate -> fate.delivered.cardinality())
                .average()
                .orElse(0);
    }

    double holeRate() {
        return holes / (double) Math.max(1, pairs);
    }

    @Override
    public String toString() {
        return String.format(
                "events %d pairs %d holes %d (%.1e) late %d lost %d | %s | sessions %d reads, %s |"
                        + " groups %d of %d..%d wrong depth %d | dead seen %d ms | messages %d | %s",
                fates.size(),
                pairs,
                holes,
                holeRate(),
                lateAtGrown,
                lost,
                answers,
                fleet.sessions.reads,
                fleet.sessions.backInTime,
                groups,
                smallest,
                largest,
                wrongDepth,
                oldestDead,
                fleet.messages,
                violations);
    }
}
