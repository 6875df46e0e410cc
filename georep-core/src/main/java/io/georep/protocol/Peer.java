package io.georep.protocol;

import io.georep.model.NodeId;
import io.georep.model.PeerState;

/** Another node as seen from this one; read by hosted protocols, changed only by the membership protocol. */
public interface Peer {
    /** The peer's name. */
    NodeId id();

    /** This node's belief about it. */
    PeerState state();

    /** Highest boot number heard of, 0 when none. */
    long incarnation();

    /** Store generation of the last identity heard, 0 when none. */
    long generation();

    /** Its site, empty when unknown. */
    String site();

    /** Whether frames can leave for it now: the outgoing link is up. */
    boolean linked();

    /**
     * Version of the protocol on this channel that it announced: 0 when it does not host that protocol, or was not met in
     * this boot. A message to it on such a channel is not sent. Between two nodes the lower of their versions is
     * spoken. It changes with the process, thus before {@link HostedProtocol#onPeerReachable}.
     */
    int version(int channel);

    /**
     * Whether it may get new entries: Active, hears this node, neither drained nor removed, its store takes copies, link
     * up. Whether its link has room is for {@link #writable} to say, and the round-trip time is the selection policy's
     * business.
     */
    boolean selectable(long nowNanos);

    /**
     * Whether the link to it has room for more of what the protocol on this channel sends. Frames sent all the same are
     * queued up to a bound, above which they are dropped.
     */
    boolean writable(int channel);

    /**
     * When the newest frame was sent that the peer is known to have received while it counted this node as present, on this
     * node's monotonic clock; {@link Long#MIN_VALUE} for none. It did not give this node up within T_s + T_x of that.
     */
    long heardSentNanos();

    /** After how much silence it gives this node up, T_s + T_x, as it said last; in nanoseconds, 0 when unknown. */
    long failoverNanos();

    /** Whether an operator asked for no new copies on it. */
    boolean drained();

    /** Whether an operator removed it: it never comes back under this incarnation. */
    boolean removed();

    /** Whether the process of this name that was met last belongs to another cluster (M31). */
    default boolean foreign() {
        return false;
    }

    /** Whether the process heard last may not decide over other nodes (M33). */
    default boolean limited() {
        return false;
    }

    /** Smallest round-trip time seen in this boot in nanoseconds, {@link Long#MAX_VALUE} when unknown. */
    long rttMinNanos();

    /** Smoothed round-trip time in nanoseconds, {@link Long#MAX_VALUE} when unknown. */
    long rttSmoothedNanos();

    /** When it entered its state, on this node's monotonic clock. */
    long stateSinceNanos();
}
