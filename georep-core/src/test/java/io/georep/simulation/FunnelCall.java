package io.georep.simulation;

import io.georep.funnel.Topology;
import io.georep.linear.Operation;
import io.georep.linear.Operation.Kind;

/** An operation of a client, with all its attempts. */
final class FunnelCall {
    final Kind kind;
    final String key;
    final String value;
    final String expected;
    String client;
    long operation;
    long timeToLiveMillis;
    int padding;
    Topology topology = Topology.AUTO;

    /** Where and in which process it is tried now; null while it is not. */
    SimulatedNode node;

    int boot;
    int attempts;

    /** Number of the event at which it began. */
    long invoked;

    /** Some attempt may have taken effect, or may still. */
    boolean isInDoubt;

    /** It has its outcome, or nobody asks any more. */
    boolean isOver;

    /** What happens when an attempt has ended. */
    Runnable afterwards = () -> {};

    FunnelCall(Kind kind, String key, String value, String expected) {
        this.kind = kind;
        this.key = key;
        this.value = value;
        this.expected = expected;
    }

    Operation answered(long at, boolean applied, String seen) {
        return new Operation(key, kind, value, expected, invoked, at, applied, seen, who());
    }

    Operation unanswered() {
        return new Operation(key, kind, value, expected, invoked, Operation.NEVER, false, null, who());
    }

    private String who() {
        return node + (client == null ? "" : " " + client + "#" + operation);
    }

    @Override
    public String toString() {
        return kind + " " + key + " " + value + " on " + who() + " after " + attempts + " attempts";
    }
}
