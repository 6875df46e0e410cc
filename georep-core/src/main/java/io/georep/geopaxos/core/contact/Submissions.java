package io.georep.geopaxos.core.contact;

import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Executor.Outcome;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.Uses;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Asks the groups to order the operations of this node's clients, until the operations are executed here. An attempt is never
 * given up, because others may wait for it. If the objects have moved to other groups meanwhile, another attempt asks these as
 * well. Operations of one client that meet are asked for one after the other: see {@link ClientOrder}.
 */
public final class Submissions {
    /**
     * What a client wants.
     *
     * @param groups that it needs in any case, as a set of bits
     */
    public record Call(long token, int kind, long client, long sequence, long acked, int groups, Slice body) {
        /** Asks both sides for a move. */
        public static Call of(Move move, long token) {
            return new Call(token, Operation.MOVE, 0, 0, 0, move.from() | move.to(), move.encode());
        }
    }

    private static final class Attempt {
        final Operation operation;

        final Call call;

        /** Its place in the order of its client; null if it has no number. */
        final ClientOrder.@Nullable Place place;

        long sentAt;

        Attempt(Operation operation, Call call, ClientOrder.@Nullable Place place, long sentAt) {
            this.operation = operation;
            this.call = call;
            this.place = place;
            this.sentAt = sentAt;
        }
    }

    /**
     * How far a wanted timestamp is ahead of the last one that this node knows: about as many as groups give while the attempt
     * is under way.
     */
    private static final long CLOCK_AHEAD = 1 << 16;

    private final NodeId self;
    private long incarnation;

    /** Returns the group in a set that a read should use. */
    private final IntUnaryOperator nearest;

    /** Returns whether all groups of a set have leaders, as far as this node knows. */
    private final IntPredicate haveLeaders;

    private final Rules rules;
    private final Executor executor;
    private final RandomGenerator random;
    private final Consumer<Operation> sender;
    private final GeoOutlet outlet;
    private final TreeMap<OpId, Attempt> open = new TreeMap<>();
    private ClientOrder order;
    private long numbers;

    /** The last timestamp that it has wanted. */
    private long clock;

    /** Attempts of this incarnation have larger numbers. */
    private long numbersBefore;

    public Submissions(
            NodeId self,
            long incarnation,
            IntUnaryOperator nearest,
            IntPredicate haveLeaders,
            Rules rules,
            Executor executor,
            RandomGenerator random,
            Consumer<Operation> sender,
            GeoOutlet outlet) {
        this.self = self;
        this.incarnation = incarnation;
        this.nearest = nearest;
        this.haveLeaders = haveLeaders;
        this.rules = rules;
        this.executor = executor;
        this.random = random;
        this.sender = sender;
        this.outlet = outlet;
        order = new ClientOrder(rules);
    }

    /** Returns how many attempts are under way, or wait for others of their clients. */
    public int open() {
        return open.size() + order.held();
    }

    private static boolean isForService(Call call) {
        return call.kind() == Operation.SERVICE || call.kind() == Operation.READ;
    }

    /** Returns which objects it uses in the present state. */
    Uses uses(Call call) {
        return isForService(call) ? Uses.of(call.body(), executor.service()) : new Uses(Map.of());
    }

    /** Returns the groups that have to order it. */
    int needed(Call call, Uses uses) {
        return call.groups() | (isForService(call) ? uses.needed(executor.placement(), nearest) : 0);
    }

    public void submit(Call call, long now) {
        renew(now);
        if (pinsMany()) {
            renewAfter(incarnation, now);
        }
        if (call.sequence() == 0) {
            ask(call, null, now);
            return;
        }
        ClientOrder.Place place = order.add(call, executor.footprint(call.kind(), call.body()));
        if (order.isNext(place)) {
            ask(call, place, now);
        }
    }

    private void ask(Call call, ClientOrder.@Nullable Place place, long now) {
        long number = ++numbers;
        OpId oldest = oldest();
        long low = rules.low(oldest == null ? number : oldest.number(), number);
        OpId id = rules.id(new OpId(self, incarnation, number), call.client(), call.sequence());
        int groups = needed(call, uses(call));
        Operation operation = new Operation(
                id,
                groups,
                call.kind(),
                call.client(),
                call.sequence(),
                call.acked(),
                low,
                wanted(call, groups),
                call.body());
        open.put(id, new Attempt(operation, call, place, now));
        sender.accept(operation);
    }

    /**
     * Returns a timestamp that is later than those that the groups will have given when they order it, most likely: then they all give it this
     * one, and their clocks have passed it. Not much later, though it has wanted more of others: no group carries the clock of one to another.
     */
    private long wanted(Call call, int groups) {
        if (Integer.bitCount(groups) == 1
                || !rules.isAtOnce(executor.footprint(call.kind(), call.body()), haveLeaders.test(groups))) {
            return 0;
        }
        long known = executor.clock(groups);
        clock = Math.max(Math.min(clock, known + 2 * CLOCK_AHEAD) + 1, known + CLOCK_AHEAD);
        return clock;
    }

    /**
     * Returns whether the oldest open attempt makes the groups remember too many later ones, as when one of its groups is dead. A later
     * incarnation frees them.
     */
    private boolean pinsMany() {
        OpId oldest = oldest();
        return oldest != null && numbers - oldest.number() >= rules.pinnedMax;
    }

    /** Returns the first open attempt of this incarnation; null if there is none. */
    private @Nullable OpId oldest() {
        return open.higherKey(new OpId(self, Long.MAX_VALUE, numbersBefore));
    }

    /** Drops all open attempts: this node will not hear of them. */
    public void abandon() {
        open.clear();
        order = new ClientOrder(rules);
    }

    /** An attempt has come to its turn. */
    public void done(Operation operation, Outcome outcome, Slice result, long now) {
        Attempt attempt = operation.id().contact().equals(self) ? open.get(operation.id()) : null;
        if (attempt == null) {
            return;
        }
        open.remove(operation.id());
        if (!rules.isAsked(attempt.operation, operation)) {
            renewAfter(incarnation, now); // an earlier boot had the same incarnation
            again(attempt, now);
        } else if (outcome == Outcome.UNCOVERED) {
            again(attempt, now);
        } else if (outcome == Outcome.REFUSED) {
            outlet.refused(attempt.call.token(), GeoEvent.Reason.WRITES);
            ends(attempt, now);
        } else {
            answer(attempt, outcome == Outcome.FORGOTTEN ? null : result, now);
        }
    }

    private void answer(Attempt attempt, @Nullable Slice result, long now) {
        outlet.answered(attempt.call.token(), result);
        ends(attempt, now);
    }

    private void ends(Attempt attempt, long now) {
        if (attempt.place != null) {
            order.ends(attempt.place, next -> ask(next.call, next, now));
        }
    }

    /**
     * Asks the groups of earlier attempts as well, so that objects which move to and fro between the same groups are caught in
     * the end.
     */
    private void again(Attempt tried, long now) {
        Call call = tried.call;
        ask(
                new Call(
                        call.token(),
                        call.kind(),
                        call.client(),
                        call.sequence(),
                        call.acked(),
                        call.groups() | tried.operation.groups(),
                        call.body()),
                tried.place,
                now);
    }

    /**
     * This node skipped entries that were executed elsewhere. It asks once more for what has no result, and for results that the table
     * has. Whether a write without a number took effect, nobody knows.
     */
    public void skipped(long now) {
        renew(now);
        for (Attempt each : List.copyOf(open.values())) {
            Operation asked = each.operation;
            if (!executor.isDone(asked)) {
                continue;
            }
            open.remove(asked.id());
            if (asked.kind() == Operation.MOVE && !executor.isLate(asked)) {
                answer(each, Slice.EMPTY, now);
            } else if (asked.kind() == Operation.SERVICE
                    && (!asked.isNumbered() || rules.wasExecuted(asked, executor.table()))) {
                answer(each, executor.table().result(asked.client(), asked.sequence()), now);
            } else {
                again(each, now);
            }
        }
    }

    /**
     * Takes a later incarnation if the logs know one of this node that is later than its own: the clock of the machine
     * was set back, or the store was emptied.
     */
    public void renew(long now) {
        long last = executor.incarnation(self);
        if (last > incarnation) {
            renewAfter(last, now);
        }
    }

    /** Takes a later incarnation. What was asked goes on as it is, unless it comes too late in a group: then nobody executes it. */
    private void renewAfter(long last, long now) {
        incarnation = rules.later(last, random.nextLong());
        numbersBefore = numbers;
        resend(0, now, now);
    }

    /** An attempt will never be executed. If that is because its client acknowledged it, nobody needs another one. */
    private void lost(Attempt attempt, long now) {
        open.remove(attempt.operation.id());
        if (executor.isForgotten(attempt.operation)) {
            answer(attempt, null, now);
        } else {
            again(attempt, now);
        }
    }

    /** Sends again what was asked while a group had no leader, or one that died: it reached nobody. */
    public void askNewLeaders(List<GroupLog> logs, long now) {
        for (GroupLog log : logs) {
            if (log.hasNewLeader(now)) {
                resend(1 << log.group(), now, now);
            }
        }
    }

    /**
     * Sends again what seems to be lost: operations that need one of these groups and were not sent since a moment.
     */
    public void resend(int ofGroups, long before, long now) {
        for (Attempt each : List.copyOf(open.values())) {
            if (executor.isLate(each.operation) && !executor.waits(each.operation.id())) {
                lost(each, now);
            } else if ((each.operation.groups() & ofGroups) != 0 && each.sentAt - before <= 0) {
                each.sentAt = now;
                sender.accept(each.operation);
            }
        }
    }
}
