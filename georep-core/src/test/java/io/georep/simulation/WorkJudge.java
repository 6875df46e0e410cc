package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.outbox.core.OutboxWire;
import java.util.HashMap;
import java.util.Map;

/**
 * Work is bounded: no node sends the same message about the same entry to the same node again and again within a few
 * heartbeats, whatever the answer is, and none has turn after turn in which nothing arrives.
 */
final class WorkJudge {
    private static final int WINDOW_HEARTBEATS = 5;

    /** The most seen in some hundred runs is 9, and 5 for payloads; a storm is hundreds. */
    private static final int TIMES_MAX = 30;

    private static final int COPIES_MAX = 12;

    /** The most seen in some hundred runs is 46; a deadline that stays due makes millions. */
    private static final int TURNS_MAX = 300;

    /** Other wings have timers of their own. */
    private static final int WING_TURNS_MAX = 500;

    /** Who says what to whom about which entry. */
    private record Work(NodeId from, NodeId to, OutboxWire.Kind what, EntryId id) {}

    /** How often something happened in the present window. */
    private static final class Window {
        long since;
        int times;

        void count(long now, long lengthNanos) {
            if (now - since > lengthNanos) {
                since = now;
                times = 0;
            }
            times++;
        }
    }

    private final SimulatedCluster cluster;
    private final long lengthNanos;
    private final Map<Work, Window> windows = new HashMap<>();
    private final Map<NodeId, Window> idle = new HashMap<>();

    WorkJudge(SimulatedCluster cluster) {
        this.cluster = cluster;
        lengthNanos = WINDOW_HEARTBEATS * cluster.options().config().heartbeat().toNanos();
    }

    /** A node has a turn although nothing arrived: a deadline that stays due makes it turn on the spot. */
    void turnsWithoutInput(NodeId node) {
        Window window = idle.computeIfAbsent(node, none -> new Window());
        window.count(cluster.world().now(), lengthNanos);
        check(
                window.times <= TURNS_MAX + cluster.wings().size() * WING_TURNS_MAX,
                "work",
                () -> node + " has its " + window.times + "th turn without input within " + lengthNanos / World.MILLIS
                        + " ms");
    }

    /** One message, or one copy, leaves. */
    void sent(NodeId from, NodeId to, OutboxWire.Kind what, EntryId id) {
        Window window = windows.computeIfAbsent(new Work(from, to, what, id), none -> new Window());
        window.count(cluster.world().now(), lengthNanos);
        check(
                window.times <= (what == OutboxWire.Kind.REPLICATE ? COPIES_MAX : TIMES_MAX),
                "work",
                () -> from + " sends " + what + " of " + id + " to " + to + " for the " + window.times
                        + "th time within " + lengthNanos / World.MILLIS + " ms");
    }
}
