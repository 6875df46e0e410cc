package io.georep.flagons.core;

import io.georep.flagons.FleetConsistency;
import io.georep.flagons.core.FleetSimulation.Member;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/** Compares all answers, and what nodes have at the end, with the {@link Oracle}: D8, D9, D10 and D12. */
final class AnswerJudge {
    /** Within that, what waited for no order has reached its group, or the comparison has brought it. */
    private static final long SPREAD_MILLIS = 8_000;

    private final FleetSimulation fleet;
    private final FleetJudge judge;
    private final Map<RequestId, FleetOperation> asked = new LinkedHashMap<>();
    private final Map<RequestId, Long> askedAt = new HashMap<>();
    private final Map<RequestId, Outcome> answers = new HashMap<>();
    private final List<FleetMessage.Answer> told = new ArrayList<>();
    private final Set<OrderKey> instant = new HashSet<>();
    private final Set<OrderKey> inOrder = new HashSet<>();
    private OrderKey acknowledged = OrderKey.FIRST;
    final List<String> wrong = new ArrayList<>();
    int wrongGets;
    int wrongChanges;
    int wrongStores;
    int gets;
    int changes;
    int stores;
    int uncovered;
    int unsure;
    int outOfTime;
    int winners;
    int overturned;
    long latency;

    AnswerJudge(FleetSimulation fleet, FleetJudge judge) {
        this.fleet = fleet;
        this.judge = judge;
    }

    void asked(FleetOperation operation) {
        asked.put(operation.request(), operation);
        askedAt.putIfAbsent(operation.request(), fleet.now);
    }

    int asked() {
        return asked.size();
    }

    /** Whether the client was told of an operation, and that this is its place. */
    boolean isAnsweredAt(Event event) {
        Outcome outcome = answers.get(event.operation().request());
        return outcome != null && outcome.place().equals(event.key());
    }

    int answered() {
        return answers.size();
    }

    /** D12: what is asked after an acknowledgement comes behind it. */
    void made(Event event, FleetConsistency consistency) {
        if (consistency == FleetConsistency.ORDERED || event.operation().changes()) {
            (consistency == FleetConsistency.ANY ? instant : inOrder).add(event.key());
        }
        if (consistency == FleetConsistency.ORDERED && event.key().compareTo(acknowledged) < 0) {
            outOfTime++;
        }
    }

    void told(FleetMessage.Answer answer) {
        told.add(answer);
    }

    void answered(RequestId request, Outcome outcome) {
        if (outcome.status() == Outcome.Status.UNSURE) {
            return;
        }
        told.add(new FleetMessage.Answer(request, outcome));
        if (answers.putIfAbsent(request, outcome) == null) {
            latency += fleet.now - askedAt.get(request);
        }
        if (asked.get(request).changes() && inOrder.contains(outcome.place())) {
            acknowledged = OrderKey.max(acknowledged, outcome.place());
        }
    }

    private void wrong(String what) {
        if (wrong.size() < 3) {
            wrong.add(what);
        }
    }

    void end(List<Event> events) {
        Oracle oracle = new Oracle(events);
        for (FleetMessage.Answer answer : told) {
            FleetOperation operation = asked.get(answer.request());
            if (operation != null && !judge.isSplit(askedAt.get(answer.request()))) {
                if (operation.kind() == FleetOperation.Kind.LIST) {
                    judgePage(oracle, answer.outcome());
                } else if (operation.changes()) {
                    judgeChange(oracle, operation, answer.outcome());
                } else {
                    judgeGet(oracle, operation, answer.outcome());
                }
            }
        }
        judgeClaims();
        fleet.alive.forEach(member -> judgeStore(oracle, member));
    }

    /** What was made shortly before and waits for no order may count or not. */
    private Predicate<Event> spread(OrderKey at) {
        long known = at.time() - FleetClock.timeOf(SPREAD_MILLIS);
        return event -> !instant.contains(event.key()) || event.key().time() < known;
    }

    /** Each entry is as if it had been read. */
    private void judgePage(Oracle oracle, Outcome outcome) {
        for (Page.Entry entry : Page.read(outcome.value()).entries()) {
            FleetOperation get = new FleetOperation(new RequestId(0, 0), FleetOperation.Kind.GET, entry.key(), null);
            OrderKey place = OrderKey.max(outcome.place(), entry.version());
            judgeGet(oracle, get, new Outcome(Outcome.Status.FOUND, place, entry.value(), entry.version()));
        }
    }

    private void judgeGet(Oracle oracle, FleetOperation operation, Outcome outcome) {
        gets++;
        OrderKey at = outcome.place();
        Event latest = oracle.writer(operation.key(), at, event -> true);
        Event earliest = oracle.writer(operation.key(), at, spread(at));
        OrderKey version = outcome.version();
        if (fleet.run.settings.retentionMillis() < fleet.now
                && version.equals(OrderKey.FIRST)
                && Oracle.value(latest) == null
                && outcome.value() == null) {
            // What removed the key long ago is forgotten.
            return;
        }
        Event found = oracle.writer(operation.key(), version, event -> true);
        if (version.compareTo(Oracle.version(latest)) > 0
                || version.compareTo(Oracle.version(earliest)) < 0
                || !version.equals(Oracle.version(found))
                || !Objects.equals(Oracle.value(found), outcome.value())) {
            wrongGets++;
            wrong("D9 " + operation.key() + " at " + at + " is of " + Oracle.version(latest) + ", not " + outcome);
        }
    }

    /** D10: a request has the outcome of its first place, whoever tells it. */
    private void judgeChange(Oracle oracle, FleetOperation operation, Outcome outcome) {
        Event first = oracle.first(operation);
        if (first == null || !instant.isEmpty()) {
            return;
        }
        changes++;
        boolean applied = outcome.status() == Outcome.Status.APPLIED;
        Event before = oracle.before(first);
        if (!outcome.place().equals(first.key())
                || applied != oracle.hasEffect(first)
                || !outcome.version().equals(Oracle.version(before))
                || !Objects.equals(outcome.value(), Oracle.value(before))) {
            wrongChanges++;
            wrong("D10 " + operation + " behind " + Oracle.version(before) + ": " + outcome);
        }
    }

    private void judgeClaims() {
        Map<Slice, RequestId> first = new HashMap<>();
        asked.forEach((request, operation) -> {
            Outcome answer = answers.get(request);
            unsure += answer == null ? 1 : 0;
            if (operation.kind() == FleetOperation.Kind.PUT_IF_ABSENT
                    && answer != null
                    && answer.status() == Outcome.Status.APPLIED) {
                winners++;
                RequestId other = first.put(operation.key(), request);
                if (other != null && fleet.run.splitFrom > fleet.now) {
                    judge.violation("D10 two winners of " + operation.key() + ": " + other + " and " + request);
                }
            }
        });
    }

    /** D8: who has all has the same as the oracle. */
    private void judgeStore(Oracle oracle, Member member) {
        if (!member.node.coverage().covers(member.node.group().range())) {
            uncovered++;
            return;
        }
        stores++;
        for (Slice key :
                asked.values().stream().map(FleetOperation::key).distinct().toList()) {
            Event right = oracle.writer(key, OrderKey.LAST, event -> true);
            KeyHistory.State has = member.node.store().look(key, OrderKey.LAST);
            boolean isTrimmed = has.value() == null && Oracle.value(right) == null;
            if (member.node.group().range().has(FleetOperation.positionOf(key))
                    && !isTrimmed
                    && !has.version().equals(Oracle.version(right))) {
                wrongStores++;
                wrong("D8 node " + member.index + " has " + key + " of " + has.version() + ", not " + right);
                return;
            }
        }
    }

    @Override
    public String toString() {
        return String.format(
                "asked %d unsure %d answer after %d ms | gets %d wrong %d | changes %d wrong %d | overturned %d |"
                        + " out of time %d | stores %d wrong %d uncovered %d | %s",
                asked.size(),
                unsure,
                latency / Math.max(1, answers.size()),
                gets,
                wrongGets,
                changes,
                wrongChanges,
                overturned,
                outOfTime,
                stores,
                wrongStores,
                uncovered,
                wrong);
    }
}
