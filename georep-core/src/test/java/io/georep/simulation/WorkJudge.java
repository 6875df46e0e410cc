package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.outbox.OutboxWire;
import java.util.HashMap;
import java.util.Map;

/**
 * Work is bounded: no node sends the same message about the same entry to the same node again and again within a few
 * heartbeats, whatever the answer is.
 */
final class WorkJudge {
    private static final int WINDOW_HEARTBEATS = 5;

    /** The most seen in some hundred runs is 9, and 5 for payloads; a storm is hundreds. */
    private static final int TIMES_MAX = 30;

    private static final int COPIES_MAX = 12;

    /** Who says what to whom about which entry. */
    private record Work(NodeId from, NodeId to, OutboxWire.Kind what, EntryId id) {}

    /** What was said in the present window. */
    private static final class Window {
        long since;
        int times;
    }

    private final SimulatedCluster cluster;
    private final long lengthNanos;
    private final Map<Work, Window> windows = new HashMap<>();

    WorkJudge(SimulatedCluster cluster) {
        this.cluster = cluster;
        lengthNanos = WINDOW_HEARTBEATS * cluster.options().config().heartbeat().toNanos();
    }

    /** One message, or one copy, leaves. */
    void sent(NodeId from, NodeId to, OutboxWire.Kind what, EntryId id) {
        long now = cluster.world().now();
        Window window = windows.computeIfAbsent(new Work(from, to, what, id), none -> new Window());
        if (now - window.since > lengthNanos) {
            window.since = now;
            window.times = 0;
        }
        window.times++;
        check(
                window.times <= (what == OutboxWire.Kind.REPLICATE ? COPIES_MAX : TIMES_MAX),
                "work",
                () -> from + " sends " + what + " of " + id + " to " + to + " for the " + window.times
                        + "th time within " + lengthNanos / World.MILLIS + " ms");
    }
}
