package io.georep.protocol.membership;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.protocol.BootKind;
import org.jspecify.annotations.Nullable;

/** What the membership tells the application side, for logs, metrics and operators. */
public sealed interface MembershipEvent {
    /** A peer was met ({@code before} null) or changed its state. */
    record StateChanged(NodeId peer, String site, @Nullable PeerState before, PeerState after)
            implements MembershipEvent {}

    /** A peer is drained now, or is drained no longer. */
    record Drained(NodeId peer, boolean on) implements MembershipEvent {}

    /** A peer was removed by an operator. */
    record Removed(NodeId peer) implements MembershipEvent {}

    /** Another process uses the id of a live node, or this one's; both are told (gap G13). */
    record Conflict(NodeId id, String detail) implements MembershipEvent {}

    /** Peers knew a later boot of this node than its store did; it goes on under this incarnation (gap G12). */
    record StaleStore(long incarnation, BootKind kind) implements MembershipEvent {}

    /** The cluster this node belongs to is settled: from now on it takes nothing from another one (M30). */
    record Settled(String cluster) implements MembershipEvent {}

    /**
     * A process belongs to another cluster with the same name, so nothing is taken from it; the text says what to do
     * (M31).
     */
    record Foreign(NodeId id, String address, String detail) implements MembershipEvent {}

    /**
     * A peer that may not decide over other nodes has told decisions, which are not believed (M33); the text names one.
     */
    record DecisionIgnored(NodeId peer, String address, String detail) implements MembershipEvent {}

    /**
     * The wall clocks of a peer and of this node differ by more than a minute, or no longer do.
     *
     * @param aheadMillis how much further the peer's is; negative if it is behind
     */
    record ClockOff(NodeId peer, boolean on, long aheadMillis) implements MembershipEvent {}

    /** Another node refused this one; the text says why and what to do. */
    record Refused(String address, String reason) implements MembershipEvent {}

    /** All reachable peers confirmed GOODBYE, or the time for it is over: the node may stop. */
    record Left() implements MembershipEvent {}
}
