package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.outbox.core.OutboxWire;
import java.util.HashMap;
import java.util.Map;

/**
 * Work is bounded: no node sends the same message about the same entry to the same node again and again within a few
 * heartbeats, whatever the answer is.
 */
final class WorkJudge {
    /** The most seen in some hundred runs is 9, and 5 for payloads; a storm is hundreds. */
    private static final int TIMES_MAX = 30;

    private static final int COPIES_MAX = 12;

    /** Who says what to whom about which entry. */
    private record Work(NodeId from, NodeId to, OutboxWire.Kind what, EntryId id) {}

    private final OutboxWing outbox;
    private final long lengthNanos;
    private final Map<Work, PeerJudge.Times> windows = new HashMap<>();

    WorkJudge(OutboxWing outbox) {
        this.outbox = outbox;
        lengthNanos = outbox.cluster().peers().windowNanos();
    }

    /** One message, or one copy, leaves. */
    void sent(NodeId from, NodeId to, OutboxWire.Kind what, EntryId id) {
        int times = windows.computeIfAbsent(new Work(from, to, what, id), none -> new PeerJudge.Times())
                .count(outbox.world().now(), lengthNanos);
        check(
                times <= (what == OutboxWire.Kind.REPLICATE ? COPIES_MAX : TIMES_MAX),
                "work",
                () -> from + " sends " + what + " of " + id + " to " + to + " for the " + times + "th time within "
                        + lengthNanos / World.MILLIS + " ms");
    }
}
