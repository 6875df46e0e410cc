package io.georep.geopaxos.core;

import io.georep.model.Slice;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads that need no message: this node leads a group of all objects that are read, and has a lease. A write that anybody may
 * have seen was decided in that group, with its SYNC. So it is executed here, or it waits here, and then the read waits as
 * well.
 */
final class LeasedReads {
    private enum Verdict {
        DONE,
        WAIT,
        ORDER
    }

    private record Waiting(Contact.Call call, long since) {}

    private final Executor executor;
    private final List<GroupLog> logs;
    private final List<GroupLeader> leaders;
    private final Rules rules;
    private final GeoOutlet outlet;
    private final Consumer<Contact.Call> order;
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    LeasedReads(
            Executor executor,
            List<GroupLog> logs,
            List<GroupLeader> leaders,
            Rules rules,
            GeoOutlet outlet,
            Consumer<Contact.Call> order) {
        this.executor = executor;
        this.logs = logs;
        this.leaders = leaders;
        this.rules = rules;
        this.outlet = outlet;
        this.order = order;
    }

    /** Executes a read, or orders it like a write if this node may not. */
    void read(Contact.Call call, long now) {
        Verdict verdict = attempt(call, now);
        if (verdict == Verdict.WAIT) {
            waiting.add(new Waiting(call, now));
        } else if (verdict == Verdict.ORDER) {
            order.accept(call);
        }
    }

    /** Tries again, after operations were executed; {@code patience} is how long a read waits for others at the most. */
    void retry(long patience, long now) {
        for (Iterator<Waiting> left = waiting.iterator(); left.hasNext(); ) {
            Waiting each = left.next();
            Verdict verdict = attempt(each.call, now);
            if (verdict == Verdict.ORDER || (verdict == Verdict.WAIT && now - each.since >= patience)) {
                order.accept(each.call);
                left.remove();
            } else if (verdict == Verdict.DONE) {
                left.remove();
            }
        }
    }

    boolean isWaiting() {
        return !waiting.isEmpty();
    }

    private Verdict attempt(Contact.Call call, long now) {
        Uses uses = Uses.of(call.body(), executor.service());
        if (uses.objects().isEmpty() || uses.writes()) {
            return Verdict.ORDER;
        }
        int common = rules.readers(uses, executor.placement());
        Verdict verdict = Verdict.ORDER;
        for (int group = 0; group < logs.size(); group++) {
            GroupLog log = logs.get(group);
            if ((common >> group & 1) == 0 || !rules.hasLease(log.log(), now) || !log.isCertain()) {
                continue;
            }
            Footprint footprint = executor.service().footprint(call.body());
            if (executor.mayPass(group, footprint, uses, leaders.get(group).proposed())) {
                Slice result = executor.run(call.body());
                outlet.answered(call.token(), result);
                return Verdict.DONE;
            }
            verdict = Verdict.WAIT;
        }
        return verdict;
    }
}
