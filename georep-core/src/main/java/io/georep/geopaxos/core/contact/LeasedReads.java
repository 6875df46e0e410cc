package io.georep.geopaxos.core.contact;

import io.georep.consensus.ReplicatedLog;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.GroupState;
import io.georep.geopaxos.core.execution.InFlight;
import io.georep.geopaxos.core.execution.Pending;
import io.georep.geopaxos.core.execution.Placement;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.Uses;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.ClockComparison;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads that need no message: this node leads a group of all objects that are read, and has a lease. This node has proposed
 * each write that anybody may have seen, with its SYNC if it needs one. So the write is executed here, waits here, or is in
 * flight; in the last two cases the read waits for it.
 */
public final class LeasedReads {
    private static final class Waiting {
        final Submissions.Call call;

        /** Whom to answer; null for a client of this node. */
        final @Nullable NodeId asker;

        final long since;

        /** The operation that it waits for. */
        @Nullable
        OpId behind;

        /** The slot that it waits for, if not for an operation. */
        @Nullable
        Slot until;

        /** Where that slot was in flight. */
        @Nullable
        InFlight among;

        /**
         * The proposals that it has waited for, or need not wait for. What was proposed later does not concern a read of one
         * key.
         */
        @Nullable
        InFlight waited;

        /** The last timestamp that the group had given by then. */
        long given;

        /** How often it had to wait. */
        int waits;

        boolean isOver;

        Waiting(Submissions.Call call, @Nullable NodeId asker, long since) {
            this.call = call;
            this.asker = asker;
            this.since = since;
        }
    }

    private record Slot(int group, long number) implements Comparable<Slot> {
        @Override
        public int compareTo(Slot other) {
            return group == other.group ? Long.compare(number, other.number) : Integer.compare(group, other.group);
        }
    }

    /** How often a read waits before it is ordered instead, because others go on writing what it reads. */
    public static final int WAITS_MAX = 4;

    private final NodeId self;
    private final Executor executor;
    private final List<GroupLog> logs;
    private final Rules rules;
    private final GeoOutlet outlet;
    private final Consumer<Submissions.Call> order;

    private final ForwardedReads forwarded;

    /** Returns the group in a set that is nearest to this node. */
    private final IntUnaryOperator nearest;

    /** Is told what was read without being ordered. */
    private final ObjIntConsumer<Uses> counter;

    /** The reads that wait, in the order in which they came. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    /** Bytes of the operations of all reads that wait. */
    private long bytes;

    /** The reads that wait, by the operation that they must not pass. */
    private final Map<OpId, Set<Waiting>> behind = new HashMap<>();

    /** The reads that wait, by the slot that they wait for. */
    private final TreeMap<Slot, Set<Waiting>> until = new TreeMap<>();

    private final List<Waiting> freed = new ArrayList<>();

    public LeasedReads(
            NodeId self,
            Executor executor,
            List<GroupLog> logs,
            Rules rules,
            GeoOutlet outlet,
            ForwardedReads forwarded,
            IntUnaryOperator nearest,
            Consumer<Submissions.Call> order,
            ObjIntConsumer<Uses> counter) {
        this.self = self;
        this.executor = executor;
        this.logs = logs;
        this.rules = rules;
        this.outlet = outlet;
        this.forwarded = forwarded;
        this.nearest = nearest;
        this.order = order;
        this.counter = counter;
    }

    /** Executes a read, or has it executed by a leader who may, or orders it like a write. */
    public void read(Submissions.Call call, long now) {
        begin(new Waiting(call, null, now), now);
    }

    private void begin(Waiting each, long now) {
        attempt(each, now);
        if (!each.isOver) {
            waiting.add(each);
            bytes += each.call.body().length();
        }
    }

    /** Takes a read of another node. That node has the read ordered itself if this one cannot answer soon. */
    public void onRead(NodeId from, GeoMessage.Read read, long now) {
        boolean isRead = read.operation().length() <= Operation.BODY_BYTES_MAX
                && executor.service().refusal(read.operation()) == null
                && waiting.size() < ForwardedReads.OPEN_MAX
                && bytes < ForwardedReads.BYTES_MAX;
        if (isRead) {
            begin(
                    new Waiting(
                            new Submissions.Call(read.number(), Operation.READ, 0, 0, 0, 0, read.operation()),
                            from,
                            now),
                    now);
        } else {
            forwarded.answer(from, read.number(), null);
        }
    }

    /** Takes the answer of another node. */
    public void onFound(NodeId from, GeoMessage.Found found) {
        ForwardedReads.Asked asked = forwarded.ends(from, found.number());
        if (asked != null && found.result() == null) {
            order.accept(asked.call());
        } else if (asked != null) {
            counter.accept(asked.uses(), 1);
            outlet.answered(asked.call().token(), found.result());
        }
    }

    /** Returns when {@link #retry} has something to do at the latest, or {@code other} if that is earlier. */
    public long firstDue(long patience, long other) {
        return forwarded.firstDue(patience / 2, other);
    }

    /** Called when an operation was executed, or will never be. */
    public void over(OpId id) {
        Set<Waiting> free = behind.isEmpty() ? null : behind.remove(id);
        if (free != null) {
            freed.addAll(free);
        }
    }

    /** The state of another node has taken the place of this one's. */
    public void restored() {
        behind.clear();
        until.clear();
        freed.clear();
        freed.addAll(waiting);
    }

    /** Drops the reads that nobody waits for any more. */
    public void abandon() {
        restored();
        freed.clear();
        waiting.clear();
        bytes = 0;
        forwarded.abandon();
    }

    private void processed() {
        for (int group = 0; group < logs.size() && !until.isEmpty(); group++) {
            Map<Slot, Set<Waiting>> free =
                    until.subMap(new Slot(group, 0), true, new Slot(group, executor.groupState(group).slot), true);
            free.values().forEach(freed::addAll);
            free.clear();
        }
    }

    /**
     * Tries those again whose operation was executed, or whose slot was processed; {@code patience} is how long a read waits for others at
     * the most.
     */
    public void retry(long patience, long now) {
        processed();
        List<Waiting> tried = List.copyOf(freed);
        freed.clear();
        for (Waiting each : tried) {
            if (!each.isOver) {
                attempt(each, now);
            }
        }
        while (!waiting.isEmpty() && (waiting.peek().isOver || now - waiting.peek().since >= patience)) {
            Waiting first = waiting.remove();
            bytes -= first.call.body().length();
            if (!first.isOver) {
                leave(first);
                giveUp(first);
            }
        }
        forwarded.overdue(now - patience / 2).forEach(order);
    }

    private void giveUp(Waiting each) {
        each.isOver = true;
        if (each.asker == null) {
            order.accept(each.call);
        } else {
            forwarded.answer(each.asker, each.call.token(), null);
        }
    }

    private void answer(Waiting each, Uses uses) {
        each.isOver = true;
        Slice result = executor.run(each.call.body());
        if (each.asker == null) {
            counter.accept(uses, 1);
            outlet.answered(each.call.token(), result);
        } else {
            forwarded.answer(each.asker, each.call.token(), result);
        }
    }

    /** Asks a leader elsewhere. Returns whether it did. */
    private boolean forward(Waiting each, Uses uses, int common, long now) {
        if (each.asker != null || common == 0) {
            return false;
        }
        NodeId leader = logs.get(nearest.applyAsInt(common)).log().leader(now);
        each.isOver = leader != null && !leader.equals(self) && forwarded.ask(leader, each.call, uses, now);
        return each.isOver;
    }

    /** The operation that this read waits for may be executed late or never. */
    private void leave(Waiting each) {
        leave(behind, each.behind, each);
        leave(until, each.until, each);
    }

    private static <K> void leave(Map<K, Set<Waiting>> waiting, @Nullable K what, Waiting each) {
        if (what != null) {
            waiting.computeIfPresent(what, (known, those) -> {
                those.remove(each);
                return those.isEmpty() ? null : those;
            });
        }
    }

    /** For tests: how many wait for an operation. */
    public int behind() {
        return Stream.concat(behind.values().stream(), until.values().stream())
                .mapToInt(Collection::size)
                .sum();
    }

    /** Tells other threads what they may read: at the end of a turn. */
    public void open(CallerReads callers, ClockComparison clocks, long now) {
        callers.tell((object, times) -> counter.accept(new Uses(Map.of(object, false)), times));
        CallerReads.Opening[] openings = new CallerReads.Opening[logs.size()];
        boolean isOpen = false;
        for (GroupLog log : logs) {
            GroupState groupState = executor.groupState(log.group());
            if (log.log().hasLease(now) && log.isCertain()) {
                openings[log.group()] = new CallerReads.Opening(
                        log.log().leaseEnd(now), log.inFlight(), groupState.slot, rules.held(groupState));
                isOpen = true;
            }
        }
        callers.permit(isOpen ? new CallerReads.Permit(executor, rules, clocks, openings) : null);
    }

    private void attempt(Waiting each, long now) {
        Submissions.Call call = each.call;
        Uses uses = Uses.of(call.body(), executor.service());
        boolean isRead = !uses.objects().isEmpty() && !uses.writes();
        int common = isRead ? readers(each, uses) : 0;
        if (each.until != null && executor.groupState(each.until.group).slot >= each.until.number) {
            each.waited = each.among;
            each.given = executor.groupState(each.until.group).clock;
        }
        each.behind = null;
        each.until = null;
        for (int group = 0; group < logs.size(); group++) {
            GroupLog log = logs.get(group);
            if ((common >> group & 1) == 0 || !hasLease(each, log.log(), now) || !log.isCertain()) {
                continue;
            }
            Footprint footprint = executor.service().footprint(call.body());
            long slot = until(each, log, footprint, uses);
            Pending ahead = slot > 0 ? null : ahead(each, log, footprint, uses);
            if (ahead == null && slot == 0) {
                answer(each, uses);
                return;
            }
            each.behind = ahead == null ? null : ahead.operation.id();
            each.until = ahead == null ? new Slot(group, slot) : null;
            each.among = log.inFlight();
            break; // a write of what is in several groups stands in all of them
        }
        await(each, uses, common, now);
    }

    private void await(Waiting each, Uses uses, int common, long now) {
        if ((each.until != null || each.behind != null) && ++each.waits > WAITS_MAX) {
            giveUp(each);
        } else if (each.until != null) {
            until.computeIfAbsent(each.until, unknown -> new LinkedHashSet<>()).add(each);
        } else if (each.behind != null) {
            behind.computeIfAbsent(each.behind, unknown -> new LinkedHashSet<>())
                    .add(each);
        } else if (!forward(each, uses, common, now)) {
            giveUp(each);
        }
    }

    /**
     * Returns until which slot a read must wait for what is in flight; 0 if it need not. Once, if it is of one key: what was proposed since is
     * executed first after the read has come, and all writes of a key in their order, so the read comes before it. Of two keys it could see one
     * write and miss an earlier one.
     */
    private long until(Waiting each, GroupLog log, Footprint footprint, Uses uses) {
        return hasWaited(each, log, footprint)
                ? 0
                : rules.until(log.inFlight(), footprint, uses, executor.groupState(log.group()));
    }

    /** Returns what stands in the log and the read must wait for; null if there is nothing. For a read of one key, only what was proposed when it came. */
    private @Nullable Pending ahead(Waiting each, GroupLog log, Footprint footprint, Uses uses) {
        if (!isOfOneKey(footprint)) {
            return executor.ahead(log.group(), footprint, uses, Long.MAX_VALUE);
        }
        if (!hasWaited(each, log, footprint)) {
            each.waited = log.inFlight();
            each.given = executor.groupState(log.group()).clock;
        }
        return executor.ahead(log.group(), footprint, uses, each.given);
    }

    private static boolean hasWaited(Waiting each, GroupLog log, Footprint footprint) {
        return isOfOneKey(footprint) && each.waited == log.inFlight();
    }

    private static boolean isOfOneKey(Footprint footprint) {
        return !footprint.everything() && footprint.reads().length == 1;
    }

    private int readers(Waiting each, Uses uses) {
        Placement placement = executor.placement();
        return (each.asker == null ? rules.readers(uses, placement) : rules.readersForOthers(uses, placement))
                & (1 << logs.size()) - 1;
    }

    private boolean hasLease(Waiting each, ReplicatedLog log, long now) {
        return each.asker == null ? rules.hasLease(log, now) : rules.hasLeaseForOthers(log, now);
    }
}
