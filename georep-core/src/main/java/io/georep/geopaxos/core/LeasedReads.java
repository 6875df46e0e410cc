package io.georep.geopaxos.core;

import io.georep.protocol.ClockComparison;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads that need no message: this node leads a group of all objects that are read, and has a lease. A write that anybody may
 * have seen was decided in that group, with its SYNC. So it is executed here, or it waits here, and then the read waits as
 * well.
 */
final class LeasedReads {
    private static final class Waiting {
        final Contact.Call call;
        final long since;

        /** What it waits for. */
        @Nullable
        OpId behind;

        boolean isOver;

        Waiting(Contact.Call call, long since) {
            this.call = call;
            this.since = since;
        }
    }

    private final Executor executor;
    private final List<GroupLog> logs;
    private final Rules rules;
    private final GeoOutlet outlet;
    private final Consumer<Contact.Call> order;

    /** Is told what is read without a message. */
    private final ObjIntConsumer<Uses> counter;

    /** In the order in which they came. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    /** By the operation that they must not pass. */
    private final Map<OpId, Set<Waiting>> behind = new HashMap<>();

    private final List<Waiting> freed = new ArrayList<>();

    LeasedReads(
            Executor executor,
            List<GroupLog> logs,
            Rules rules,
            GeoOutlet outlet,
            Consumer<Contact.Call> order,
            ObjIntConsumer<Uses> counter) {
        this.executor = executor;
        this.logs = logs;
        this.rules = rules;
        this.outlet = outlet;
        this.order = order;
        this.counter = counter;
    }

    /** Executes a read, or orders it like a write if this node may not. */
    void read(Contact.Call call, long now) {
        Waiting each = new Waiting(call, now);
        attempt(each, now);
        if (!each.isOver) {
            waiting.add(each);
        }
    }

    /** An operation was executed. */
    void executed(OpId id) {
        Set<Waiting> free = behind.isEmpty() ? null : behind.remove(id);
        if (free != null) {
            freed.addAll(free);
        }
    }

    /** The state of another node has taken the place of this one's. */
    void restored() {
        behind.clear();
        freed.clear();
        freed.addAll(waiting);
    }

    /** Tries those again whose operation was executed; {@code patience} is how long a read waits for others at the most. */
    void retry(long patience, long now) {
        List<Waiting> tried = List.copyOf(freed);
        freed.clear();
        for (Waiting each : tried) {
            if (!each.isOver) {
                attempt(each, now);
            }
        }
        while (!waiting.isEmpty() && (waiting.peek().isOver || now - waiting.peek().since >= patience)) {
            Waiting first = waiting.remove();
            if (!first.isOver) {
                first.isOver = true;
                leave(first);
                order.accept(first.call);
            }
        }
    }

    /** Nobody knows when what it has waited for is executed: perhaps never. */
    private void leave(Waiting each) {
        behind.computeIfPresent(Objects.requireNonNull(each.behind), (id, those) -> {
            those.remove(each);
            return those.isEmpty() ? null : those;
        });
    }

    /** For tests: how many wait for an operation. */
    int behind() {
        return behind.values().stream().mapToInt(Collection::size).sum();
    }

    /** Tells other threads what they may read: at the end of a turn. */
    void open(CallerReads door, ClockComparison clocks, long now) {
        door.tell((object, times) -> counter.accept(new Uses(Map.of(object, false)), times));
        long[] ends = new long[logs.size()];
        boolean isOpen = false;
        for (GroupLog log : logs) {
            boolean counts = log.log().leads() && log.isCertain();
            long end = counts ? rules.readableUntil(executor.lane(log.group()), log.log(), now) : now;
            ends[log.group()] = end;
            isOpen |= end != now;
        }
        door.opens(isOpen ? new CallerReads.Door(executor, rules, clocks, ends) : null);
    }

    private void attempt(Waiting each, long now) {
        Contact.Call call = each.call;
        Uses uses = Uses.of(call.body(), executor.service());
        boolean isRead = !uses.objects().isEmpty() && !uses.writes();
        int common = isRead ? rules.readers(uses, executor.placement()) : 0;
        Pending ahead = null;
        for (int group = 0; group < logs.size(); group++) {
            GroupLog log = logs.get(group);
            if ((common >> group & 1) == 0 || !rules.hasLease(log.log(), now) || !log.isCertain()) {
                continue;
            }
            ahead = executor.ahead(group, executor.service().footprint(call.body()), uses);
            if (ahead == null) {
                each.isOver = true;
                counter.accept(uses, 1);
                outlet.answered(call.token(), executor.run(call.body()));
                return;
            }
        }
        if (ahead != null) {
            each.behind = ahead.operation.id();
            behind.computeIfAbsent(each.behind, unknown -> new LinkedHashSet<>())
                    .add(each);
        } else {
            each.isOver = true;
            order.accept(call);
        }
    }
}
