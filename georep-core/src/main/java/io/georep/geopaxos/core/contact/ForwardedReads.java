package io.georep.geopaxos.core.contact;

import io.georep.geopaxos.core.execution.Uses;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Reads of this node that others answer by their leases. A read that they do not answer in time is ordered. */
public final class ForwardedReads {
    /**
     * The most reads under way, for this node or for others, and the most bytes of their operations. Further reads are
     * ordered.
     */
    public static final int OPEN_MAX = 10_000;

    static final long BYTES_MAX = 16L << 20;

    /** What another node was asked. */
    record Asked(Submissions.Call call, Uses uses, NodeId node, long since) {}

    private final GroupLog.Host host;
    private final TreeMap<Long, Asked> open = new TreeMap<>();
    private long bytes;

    /** Begins with a random number, so that an answer to an earlier boot matches no read of this one. */
    private long numbers;

    public ForwardedReads(GroupLog.Host host, RandomGenerator random) {
        this.host = host;
        numbers = random.nextLong() >>> 2;
    }

    /** Asks the leader of a group. Returns whether it did. */
    boolean ask(NodeId leader, Submissions.Call call, Uses uses, long now) {
        if (open.size() >= OPEN_MAX || bytes >= BYTES_MAX) {
            return false;
        }
        open.put(++numbers, new Asked(call, uses, leader, now));
        bytes += call.body().length();
        host.send(leader, new GeoMessage.Read(numbers, call.body()));
        return true;
    }

    /** Returns what was asked under a number; null if nobody waits for it. */
    @Nullable
    Asked ends(NodeId node, long number) {
        Asked asked = open.get(number);
        if (asked == null || !asked.node.equals(node)) {
            return null;
        }
        open.remove(number);
        bytes -= asked.call.body().length();
        return asked;
    }

    /** Takes away what was asked at this time or before. */
    List<Submissions.Call> overdue(long until) {
        List<Submissions.Call> calls = new ArrayList<>();
        while (!open.isEmpty() && open.firstEntry().getValue().since - until <= 0) {
            Asked first = open.pollFirstEntry().getValue();
            bytes -= first.call.body().length();
            calls.add(first.call);
        }
        return calls;
    }

    void abandon() {
        open.clear();
        bytes = 0;
    }

    /** Returns when the first of them is overdue, or {@code other} if that is earlier. */
    long firstDue(long patience, long other) {
        long due = open.isEmpty() ? other : open.firstEntry().getValue().since + patience;
        return due - other < 0 ? due : other;
    }

    /** Tells another node what its read has found; null if that node must have the read ordered. */
    void answer(NodeId node, long number, @Nullable Slice result) {
        host.send(node, new GeoMessage.Found(number, result));
    }
}
