package io.georep.flagons.core;

import io.georep.flagons.core.FleetSimulation.Member;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
    private final Map<RequestId, Operation> asked = new LinkedHashMap<>();
    private final Map<RequestId, Outcome> answers = new HashMap<>();
    private final Map<RequestId, Long> askedAt = new HashMap<>();
    private final List<FleetMessage.Answer> told = new ArrayList<>();
    final List<String> violations = new ArrayList<>();
    long pairs;
    long holes;
    long lateAtGrown;
    long lost;
    long wrongGets;
    long gets;
    long unsure;
    long answered;
    long latency;
    long overturned;
    long oldestDead;
    int groups;
    int smallest = Integer.MAX_VALUE;
    int largest;
    int wrongDepth;
    int stores;
    int wrongStores;
    int uncovered;

    FleetJudge(FleetSimulation fleet) {
        this.fleet = fleet;
    }

    private void violation(String what) {
        if (violations.size() < 20) {
            violations.add(fleet.now + ": " + what);
        }
    }

    void asked(Operation operation) {
        asked.put(operation.request(), operation);
        askedAt.put(operation.request(), fleet.now);
    }

    void broadcast(Member source, Event event) {
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
        fate.delivered.set(at.index);
    }

    void missed(Member at, Event event) {
        if (at.bornAt == 0 || fleet.now - at.bornAt > GROWN_MILLIS + SETTLED_MILLIS) {
            lateAtGrown++;
        }
    }

    /** Each member answers for itself. */
    void told(FleetMessage.Answer answer) {
        told.add(answer);
    }

    private boolean isSplit(long at) {
        return at > fleet.run.splitFrom - SETTLED_MILLIS && at < fleet.run.splitTo + REJOINED_MILLIS;
    }

    void overturned(Event event) {
        overturned++;
    }

    void answered(RequestId request, Outcome outcome) {
        if (outcome.status() == Outcome.Status.UNSURE) {
            return;
        }
        Outcome before = answers.putIfAbsent(request, outcome);
        if (before == null) {
            answered++;
            latency += fleet.now - askedAt.get(request);
        }
    }

    /** Looks at the views of all. */
    void look() {
        for (Member member : fleet.alive) {
            Set<Long> seen = new HashSet<>();
            if (member.node.peers().entries().size() > fleet.run.settings.viewSize()) {
                violation("D11 the view of " + member.index + " is too large");
            }
            for (Aged entry : member.node.peers().entries()) {
                if (!seen.add(entry.contact().id()) || entry.contact().id() == member.contact.id()) {
                    violation("D11 the view of " + member.index + " has itself, or somebody twice");
                }
                Member other = fleet.members.get(Integer.parseInt(entry.contact().address().substring(1)));
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
                violation("D6 node " + member.index + " still holds " + member.node.epidemic().waiting());
            }
        }
        judgeAnswers();
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
            if (grown && member.diedAt > fate.at + SETTLED_MILLIS) {
                pairs++;
                holes += fate.delivered.get(member.index) ? 0 : 1;
            }
        }
    }

    /** All operations that were delivered anywhere, in one store. */
    private OperationStore everything() {
        OperationStore all = new OperationStore(new Rules());
        for (Fate fate : fates.values()) {
            if (fate.event.operation().changes() && !fate.delivered.isEmpty()) {
                all.add(fate.event);
            }
        }
        return all;
    }

    private void judgeAnswers() {
        OperationStore all = everything();
        for (FleetMessage.Answer answer : told) {
            Operation operation = asked.get(answer.request());
            if (operation.kind() == Operation.Kind.GET && !isSplit(askedAt.get(answer.request()))) {
                gets++;
                OperationStore.State right =
                        all.look(operation.key(), answer.outcome().place());
                wrongGets += right.version().equals(answer.outcome().version()) ? 0 : 1;
            }
        }
        Map<Slice, RequestId> winners = new HashMap<>();
        asked.forEach((request, operation) -> {
            Outcome answer = answers.get(request);
            if (answer == null) {
                unsure++;
                return;
            }
            if (operation.kind() == Operation.Kind.PUT_IF_ABSENT && answer.status() == Outcome.Status.APPLIED) {
                RequestId other = winners.put(operation.key(), request);
                if (other != null && fleet.run.splitFrom > fleet.now) {
                    violation("D10 two winners of " + operation.key() + ": " + other + " and " + request);
                }
            }
        });
        for (Member member : fleet.alive) {
            if (!member.node.coverage().covers(member.node.group().range())) {
                uncovered++;
                continue;
            }
            stores++;
            for (Slice key : asked.values().stream().map(Operation::key).distinct().toList()) {
                OrderKey end = new OrderKey(Long.MAX_VALUE, 0);
                if (member.node.group().range().has(Bits.position(key))
                        && !member.node.store().look(key, end).equals(all.look(key, end))) {
                    wrongStores++;
                    break;
                }
            }
        }
    }

    private void judgeGroups() {
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
        return fleet.alive.stream()
                .filter(each -> range.has(each.contact.position()))
                .count();
    }

    int asked() {
        return asked.size();
    }

    double holeRate() {
        return holes / (double) Math.max(1, pairs);
    }

    @Override
    public String toString() {
        return String.format(
                "events %d pairs %d holes %d (%.1e) late %d lost %d | asked %d unsure %d put ms %d | gets %d wrong %d"
                        + " overturned %d | groups %d of %d..%d wrong depth %d | stores %d wrong %d uncovered %d |"
                        + " dead seen %d ms | messages %d | %s",
                fates.size(),
                pairs,
                holes,
                holeRate(),
                lateAtGrown,
                lost,
                asked.size(),
                unsure,
                latency / Math.max(1, answered),
                gets,
                wrongGets,
                overturned,
                groups,
                smallest,
                largest,
                wrongDepth,
                stores,
                wrongStores,
                uncovered,
                oldestDead,
                fleet.messages,
                violations);
    }
}
