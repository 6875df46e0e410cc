package io.georep.simulation;

import io.georep.funnel.MapUnavailableException;
import io.georep.funnel.Topology;
import io.georep.funnel.core.FunnelAudit;
import io.georep.funnel.core.FunnelProtocol;
import io.georep.funnel.core.ReadLease;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.linear.Linearizability;
import io.georep.linear.Operation;
import io.georep.linear.Operation.Kind;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.protocol.membership.Membership;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What replicated maps promise. Of commits see {@link FunnelCommits}. Histories are linearizable (K5, K8). In the end everything was
 * answered and committed, and all nodes have the same (K7).
 */
final class FunnelJudge {
    static final String MAP = "m";

    /** One attempt at a call: what the protocol gets as token. */
    private record Attempt(FunnelCall call, int number) {}

    private final FunnelWing cluster;
    private final List<Operation> history = new ArrayList<>();
    private final List<FunnelCall> calls = new ArrayList<>();
    private final Set<FunnelCall> open = new LinkedHashSet<>();
    private final FunnelCommits commits;
    private final Map<String, FunnelCall> writers = new HashMap<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private long events;

    FunnelJudge(FunnelWing cluster) {
        this.cluster = cluster;
        commits = new FunnelCommits(cluster, writers);
    }

    static Slice key(String key) {
        byte[] bytes = ("\1" + MAP + key).getBytes(StandardCharsets.UTF_8);
        return Slice.of(bytes);
    }

    private static Slice bytes(String value, int padding) {
        return value == null ? null : Slice.utf8(value + ".".repeat(padding));
    }

    static String text(Slice value) {
        if (value == null) {
            return null;
        }
        String text = new String(value.toArray(), StandardCharsets.UTF_8);
        int end = text.indexOf('.');
        return end < 0 ? text : text.substring(0, end);
    }

    long next() {
        return ++events;
    }

    List<Operation> history() {
        return history;
    }

    /** Tries a call on a node that runs. */
    void attempt(FunnelCall call, SimulatedNode node) {
        if (call.attempts++ == 0) {
            call.invoked = next();
            calls.add(call);
            if (call.value != null) {
                writers.put(call.value, call);
            }
            if (call.timeToLiveMillis > 0) {
                // Where wall clocks are stepped, the time may seem to be over at once.
                long millis = cluster.shape().steps() ? 0 : call.timeToLiveMillis - 2;
                cluster.world().after(millis * World.MILLIS, () -> history.add(expiry(call)));
            }
        }
        call.node = node;
        call.boot = node.boots();
        if (!node.isRunning()) {
            finish(call, "not running");
            return;
        }
        Slice key = key(call.key);
        if (call.kind == Kind.READ && readFromMemory(call, node, key)) {
            return;
        }
        open.add(call);
        Attempt token = new Attempt(call, call.attempts);
        node.command(
                FunnelProtocol.CHANNEL,
                call.kind == Kind.READ ? new FunnelCommand.Read(key, token) : write(call, key, token));
    }

    private Operation expiry(FunnelCall call) {
        return new Operation(call.key, Kind.EXPIRE, call.value, null, next(), Operation.NEVER, false, null, "expiry");
    }

    /** What the writer of a value asked for. */
    Topology hint(Slice value) {
        FunnelCall writer = writers.get(text(value));
        return writer == null ? Topology.AUTO : writer.topology;
    }

    private boolean readFromMemory(FunnelCall call, SimulatedNode node, Slice key) {
        FunnelMirror mirror = cluster.machine(node).mirror();
        boolean isClean = cluster.shape().flaw() == FunnelShape.Flaw.READS_WITHOUT_LEASE
                ? mirror.lease != ReadLease.NONE && !mirror.dirty.contains(key)
                : mirror.isReadable(key, node.clock());
        if (isClean) {
            outcomes.merge("READ memory", 1, Integer::sum);
            answer(call, true, text(mirror.values.get(key)));
        }
        return isClean;
    }

    private FunnelCommand.Write write(FunnelCall call, Slice key, Attempt token) {
        FunnelCommand.Kind kind = switch (call.kind) {
            case PUT -> FunnelCommand.Kind.PUT;
            case REMOVE -> FunnelCommand.Kind.REMOVE;
            case PUT_IF_ABSENT -> FunnelCommand.Kind.PUT_IF_ABSENT;
            default -> FunnelCommand.Kind.REPLACE;
        };
        boolean isForgotten = cluster.shape().flaw() == FunnelShape.Flaw.NEW_OPERATION_NUMBERS;
        FunnelCall expected = call.expected == null ? null : writers.get(call.expected);
        return new FunnelCommand.Write(
                kind,
                key,
                bytes(call.value, call.padding),
                bytes(call.expected, expected == null ? 0 : expected.padding),
                call.timeToLiveMillis,
                call.client,
                call.client == null ? 0 : isForgotten ? call.operation * 1000 + call.attempts : call.operation,
                call.topology,
                token);
    }

    void event(SimulatedNode node, Object event) {
        if (event instanceof FunnelEvent.Done done) {
            for (FunnelEvent.Written each : done.writes()) {
                written((Attempt) each.token(), each);
            }
        } else if (event instanceof FunnelEvent.Failed failed) {
            failed.tokens().forEach(token -> failed((Attempt) token, failed.cause()));
        } else if (event instanceof FunnelEvent.Value value) {
            Attempt attempt = (Attempt) value.token();
            ended(attempt);
            outcomes.merge("READ tail", 1, Integer::sum);
            answer(attempt.call, true, text(value.value()));
        } else if (event instanceof FunnelEvent.Changes changes) {
            changes.changes().forEach(change -> commits.told(node, change));
        } else if (event instanceof FunnelEvent.Status status) {
            commits.status(node, status.status());
        }
    }

    private void ended(Attempt attempt) {
        if (attempt.number != attempt.call.attempts || !open.remove(attempt.call)) {
            throw new AssertionError("answered twice: " + attempt.call);
        }
    }

    private void written(Attempt attempt, FunnelEvent.Written outcome) {
        ended(attempt);
        FunnelCall call = attempt.call;
        outcomes.merge(call.kind + (outcome.applied() ? " applied" : " refused"), 1, Integer::sum);
        String seen = text(outcome.before());
        if (call.kind == Kind.PUT_IF_ABSENT && !outcome.applied() && seen == null && call.attempts > 1) {
            over(call); // the outcome of an earlier attempt, without the value that was in the way
        } else {
            answer(call, outcome.applied(), call.kind == Kind.PUT_IF_ABSENT ? seen : null);
        }
    }

    private void answer(FunnelCall call, boolean applied, String seen) {
        history.add(call.answered(next(), applied, seen));
        over(call);
    }

    private void over(FunnelCall call) {
        call.isOver = true;
        call.afterwards.run();
    }

    private void failed(Attempt attempt, GeoRepException cause) {
        ended(attempt);
        if (cause instanceof IndeterminateException) {
            attempt.call.isInDoubt = true;
        } else if (!(cause instanceof RejectedException || cause instanceof MapUnavailableException)) {
            throw new AssertionError("unexpected end of " + attempt.call, cause);
        }
        finish(
                attempt.call,
                cause instanceof MapUnavailableException unavailable
                        ? unavailable.reason().toString()
                        : cause.getClass().getSimpleName());
    }

    private void finish(FunnelCall call, String outcome) {
        outcomes.merge(outcome, 1, Integer::sum);
        call.node = null;
        call.afterwards.run();
    }

    void stopped(SimulatedNode node) {
        commits.stopped(node);
        for (FunnelCall call : List.copyOf(open)) {
            if (call.node == node && call.boot == node.boots()) {
                open.remove(call);
                call.isInDoubt |= call.kind != Kind.READ;
                finish(call, "crashed");
            }
        }
    }

    void destroyed(SimulatedNode node) {
        commits.destroyed(node, next());
    }

    /** Returns why not everything is at its end; null if it is. */
    @Nullable
    String unsettled() {
        if (!open.isEmpty()) {
            return "not answered: " + open;
        }
        Map<Slice, Slice> same = null;
        for (SimulatedNode node : cluster.living()) {
            FunnelMirror mirror = cluster.machine(node).mirror();
            if (!node.isRunning() || !mirror.isReadable(key(""), node.clock())) {
                return node + " does not serve";
            }
            if (!mirror.dirty.isEmpty() || FunnelAudit.uncommitted(FunnelWing.protocol(node)) > 0) {
                return "still dirty on " + node;
            }
            if (same != null && !same.equals(mirror.values)) {
                return node + " has " + texts(mirror.values) + ", another node " + texts(same);
            }
            same = mirror.values;
        }
        return same != null && same.entrySet().stream().anyMatch(each -> isOverdue(each.getKey(), each.getValue()))
                ? "values outlive their time"
                : null;
    }

    /** The clock of the tail decides, which may have been ahead when it committed: of that a value may have the advantage. */
    private boolean isOverdue(Slice key, Slice value) {
        FunnelCall writer = writers.get(text(value));
        if (writer == null || writer.timeToLiveMillis == 0) {
            return false;
        }
        SimulatedNode any = cluster.living().get(0);
        long end = FunnelAudit.expiresAt(FunnelWing.protocol(any), key);
        long latest = cluster.nodes().stream()
                .mapToLong(node -> node.clock().latestMillis())
                .max()
                .orElseThrow();
        return end <= any.clock().wallMillis() || end > latest + writer.timeToLiveMillis;
    }

    /** Whether everything was answered, all nodes serve and have the same, and nothing is uncommitted. */
    boolean isSettled() {
        return unsettled() == null;
    }

    /**
     * Whether stores were lost so that people must look: no member is left that has everything, or nodes with new stores found
     * themselves alone and began another cluster.
     */
    private boolean isLost() {
        boolean areApart = cluster.nodes().stream()
                .anyMatch(node -> node.isRunning()
                        && !((Membership) node.protocols().membership())
                                .strangers()
                                .isEmpty());
        return commits.wereStoresLost() && (areApart || cluster.master().trouble() != null);
    }

    /** Everything must have come to its end, and the history be linearizable. */
    void settled() {
        String unsettled = unsettled();
        if (unsettled != null && !isLost()) {
            throw new AssertionError(unsettled + "; " + state());
        }
        for (FunnelCall call : calls) {
            if (!call.isOver && call.isInDoubt) {
                history.add(call.unanswered());
            }
        }
        outcomes.merge("all stores lost", isLost() ? 1 : 0, Integer::sum);
        Linearizability.check(history);
    }

    private String state() {
        return FunnelAudit.describe(cluster.master().ledger()) + " "
                + cluster.master().trouble()
                + cluster.nodes().stream()
                        .filter(SimulatedNode::isRunning)
                        .map(node -> node + " " + FunnelAudit.describe(FunnelWing.protocol(node)))
                        .toList();
    }

    private static Map<String, String> texts(Map<Slice, Slice> values) {
        Map<String, String> texts = new TreeMap<>();
        values.forEach((key, value) -> texts.put(Objects.toString(text(key)), text(value)));
        return texts;
    }

    @Override
    public String toString() {
        return outcomes + ", " + commits.size() + " commits in "
                + cluster.master().viewCount() + " views";
    }
}
