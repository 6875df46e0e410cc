package io.georep.protocol.membership;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.protocol.Peer;
import org.jspecify.annotations.Nullable;

/**
 * All this node knows about one peer. The first group of fields is gossiped and stored (what all nodes shall agree on),
 * the second is this node's own view. Changed only by the classes of this package, on the driver's thread.
 */
final class PeerRecord implements Peer {
    final NodeId id;
    final FrameTraffic traffic = new FrameTraffic();

    // Agreed by gossip.
    String address = "";
    String site = "";
    long incarnation;
    long generation;
    long nonce;
    long goodbye;
    long drainVersion;
    boolean drained;
    long removedBelow;
    long removedUntilNanos;

    /** End of the announced absence; meaningful in state Arnold. */
    long returnAtNanos;

    // This node's own view.
    final Timing timing;
    PeerState state = PeerState.PROSPECT;
    long stateSinceNanos;
    long learntAtNanos;
    long lastHeardNanos;

    /** Incarnation of the last accepted frame in this boot of ours, 0 before the first. */
    long heardIncarnation;

    /** Whether a stored entry waits for this peer's fate (rule p8). */
    boolean blocking;

    boolean linked;
    boolean writable = true;
    long lastSentNanos;
    long helloAtNanos;
    int helloAttempt;
    long listSentAtNanos;
    boolean listSent;
    boolean welcomeDue;
    boolean listDue;
    boolean heartbeatDue;
    boolean goodbyeDue;

    /** Where to dial when it is not where the gossip says: a restored image that must learn of its age. */
    String dialAddress = "";

    /** A second process with this id, refused while the first is alive (gap G13). */
    @Nullable
    NodeIdentity rival;

    /** Whether the stored copy of this record is outdated. */
    boolean unsaved = true;

    PeerRecord(NodeId id, Timing timing, long nowNanos) {
        this.id = id;
        this.timing = timing;
        stateSinceNanos = nowNanos;
        learntAtNanos = nowNanos;
        lastSentNanos = nowNanos;
    }

    /** Heard in this boot and not given up: its nonce belongs to a living process. */
    boolean alive() {
        return heardIncarnation > 0 && inTouch();
    }

    /** Whether it counts as present: what {@code hears} in a frame's header says. */
    boolean inTouch() {
        return state == PeerState.ACTIVE || state == PeerState.SCHRODINGER;
    }

    /** Whether it said GOODBYE in the last boot heard of, so that only its next boot brings it back. */
    boolean saidGoodbye() {
        return goodbye > 0;
    }

    PeerEntry entry(long nowNanos) {
        return new PeerEntry(
                id,
                address,
                site,
                incarnation,
                generation,
                nonce,
                goodbye,
                saidGoodbye() && state == PeerState.ARNOLD ? Timing.millisOf(returnAtNanos - nowNanos) : 0,
                drainVersion,
                drained,
                removedBelow,
                removedBelow > 0 ? Timing.millisOf(removedUntilNanos - nowNanos) : 0);
    }

    String target() {
        return dialAddress.isEmpty() ? address : dialAddress;
    }

    @Override
    public NodeId id() {
        return id;
    }

    @Override
    public PeerState state() {
        return state;
    }

    @Override
    public long incarnation() {
        return incarnation;
    }

    @Override
    public long generation() {
        return generation;
    }

    @Override
    public String site() {
        return site;
    }

    @Override
    public boolean linked() {
        return linked;
    }

    @Override
    public boolean selectable(long nowNanos) {
        if (state != PeerState.ACTIVE || !linked || !writable) {
            return false;
        }
        return !timing.hardened()
                || (!drained
                        && !removed()
                        && traffic.takesCopies()
                        && traffic.heardByPeer(nowNanos, timing.suspectNanos()));
    }

    @Override
    public long heardSentNanos() {
        return traffic.heardSentNanos();
    }

    @Override
    public boolean drained() {
        return drained;
    }

    @Override
    public boolean removed() {
        return incarnation < removedBelow;
    }

    @Override
    public long rttMinNanos() {
        return traffic.rttMinNanos();
    }

    @Override
    public long rttSmoothedNanos() {
        return traffic.rttSmoothedNanos();
    }

    @Override
    public long stateSinceNanos() {
        return stateSinceNanos;
    }

    @Override
    public String toString() {
        return id + "[" + state + ", incarnation " + incarnation + "]";
    }
}
