package io.georep.protocol;

import io.georep.model.NodeId;
import io.georep.model.PeerState;

/** Another node as this one sees it. Protocols read it; only the membership changes it. */
public interface Peer {
    /** Returns its name. */
    NodeId id();

    /** Returns what this node believes about it. */
    PeerState state();

    /** Returns the highest boot number that this node has heard of; 0 if none. */
    long incarnation();

    /** Returns the generation of its store, as it said last; 0 if it never did. */
    long generation();

    /** Returns its site; empty if unknown. */
    String site();

    /** Returns whether frames can leave for it now: the outgoing link is up. */
    boolean linked();

    /**
     * Returns the version of the protocol on this channel that it has announced. The result is 0 if it does not host
     * that protocol, or was not met in this boot; then messages to it on this channel are not sent. Two nodes speak
     * the lower of their versions. The version changes with the process, before {@link
     * HostedProtocol#onPeerReachable} is called.
     */
    int version(int channel);

    /**
     * Returns whether it may get new entries: it is active and hears this node, it is neither drained nor removed,
     * its store takes copies, and the link is up. {@link #writable} tells whether the link has room. The round-trip
     * time is left to the selection policy.
     */
    boolean selectable(long nowNanos);

    /**
     * Returns whether the link to it has room for more from the protocol on this channel. Frames that are sent
     * without room are queued up to a bound, and dropped above it.
     */
    boolean writable(int channel);

    /**
     * Returns when this node sent the newest frame of which it knows that the peer received it while it counted this
     * node as present, on this node's monotonic clock; {@link Long#MIN_VALUE} if there is none. For T_s + T_x after
     * that moment the peer did not give this node up.
     */
    long heardSentNanos();

    /**
     * Returns after how much silence it gives this node up (T_s + T_x), as it said last, in nanoseconds; 0 if
     * unknown.
     */
    long failoverNanos();

    /** Returns whether an operator asked that it gets no new copies. */
    boolean drained();

    /** Returns whether an operator removed it. It never comes back with this incarnation. */
    boolean removed();

    /** Returns whether the process of this name that was met last belongs to another cluster. */
    default boolean foreign() {
        return false;
    }

    /** Returns whether the process that was heard last may not decide over other nodes. */
    default boolean limited() {
        return false;
    }

    /**
     * Returns by how many milliseconds its wall clock was ahead of that of this node when it said so last, negative if it was
     * behind; {@link Long#MIN_VALUE} if unknown, as it is without a link, and when it has said nothing for long. Messages take
     * time, so a little less than it was.
     *
     * @param nowNanos the time on this node's monotonic clock
     */
    default long clockAheadMillis(long nowNanos) {
        return Long.MIN_VALUE;
    }

    /** Returns whether its wall clock differs so much from that of this node that operators were told of it, and not of the end yet. */
    default boolean clockOff() {
        return false;
    }

    /** Returns the smallest round-trip time of this boot, in nanoseconds; {@link Long#MAX_VALUE} if unknown. */
    long rttMinNanos();

    /** Returns the smoothed round-trip time, in nanoseconds; {@link Long#MAX_VALUE} if unknown. */
    long rttSmoothedNanos();

    /** Returns when it entered its state, on this node's monotonic clock. */
    long stateSinceNanos();
}
