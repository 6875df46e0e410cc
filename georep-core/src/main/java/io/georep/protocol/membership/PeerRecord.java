package io.georep.protocol.membership;

import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.protocol.Peer;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All this node knows about one peer. The first group of fields is gossiped and stored (what all nodes shall agree on),
 * the second is this node's own view. Changed only by the classes of this package, on the driver's thread.
 */
final class PeerRecord implements Peer {
    final NodeId id;
    final FrameTraffic traffic = new FrameTraffic();
    final PeerClock clock = new PeerClock();

    // Agreed by gossip.
    String address = "";
    String site = "";
    long incarnation;
    long generation;
    long nonce;
    long goodbye;
    long drainVersion;
    boolean drained;

    /** Its incarnation when this node learnt that. */
    long drainedIn;

    long removedBelow;
    long removedUntilNanos;

    /** When the name is forgotten unless somebody hears of it; meaningless while the peer is in touch. */
    long forgetAtNanos;

    /** It said GOODBYE for good: it comes back by dialling this node, if ever. */
    boolean leftForGood;

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

    /** Whether the process that sent the last accepted frame may not decide over other nodes (M33). */
    boolean limited;

    /** Decisions of it that were not believed were reported then; they are reported again after a while. */
    long decisionsReportedAtNanos = Long.MIN_VALUE;

    /** What the process announced at the other end of the link; without a link, the one heard or linked last. */
    Channels channels = Channels.NONE;

    /** When the link came up or was to be renewed, or what that comes to without the time this node could not hear. */
    long linkedAtNanos;

    /** Lanes of the outgoing link that have no room now; replaced when they change, which is seldom. */
    private Set<Integer> fullLanes = Set.of();

    long lastSentNanos;
    long helloAtNanos;
    int helloAttempt;
    long listSentAtNanos;
    boolean listSent;
    boolean welcomeDue;

    /** Whether the WELCOME that is due goes to a newcomer, who needs the whole list. */
    boolean newcomer;

    /**
     * If it was removed: the number of the first frame over this link that told it so, and whether it has confirmed that frame.
     */
    long removalSaidIn = Long.MAX_VALUE;

    boolean removalTold;

    /** Whether the list is to be sent because the peer was removed and must be told. */
    boolean listDue;

    /** Its list differs from this node's. */
    boolean repairDue;

    /** It was chosen to be told what changed in this turn. */
    boolean newsDue;

    boolean heartbeatDue;
    boolean goodbyeDue;

    /** The address to dial if it differs from what the gossip says: a restored image that must learn how old it is. */
    String dialAddress = "";

    /** A second process with this id. It is refused while the first is alive (gap G13). */
    @Nullable
    NodeIdentity rival;

    /**
     * A process was reached, or dialled this node, that is not known to belong to this cluster (M29): it is dialled and
     * greeted, so that it hears of this cluster, but its name is neither told nor stored, and hosted protocols do not see it.
     */
    boolean stranger;

    /** The limited peer that named it first (M33), null if another did, or if it was met. */
    @Nullable
    PeerRecord introducer;

    /** How many names this limited peer has introduced that nobody has met. */
    int introduced;

    /** What the process that was let in last said about its cluster, null before the first word. */
    @Nullable
    ClusterWord word;

    /** Whose word that is, and in which frame it came. */
    long wordNonce;

    long wordNumber;

    /** What a process under this name said that belongs to another cluster, null when none did lately. */
    @Nullable
    ClusterWord foreignWord;

    // Kept by PeerList.

    /** Whether the stored copy of this record is outdated. */
    boolean unsaved = true;

    /** Its place among more names than nodes keep. */
    final long rank;

    /** Its part of the list's digest. */
    long fingerprint;

    /** Whether there are so many names that all nodes leave this one out of their digests. */
    boolean surplus;

    /** What the transport was last asked to dial for it, empty for nothing. */
    String dialled = "";

    /** Whether it was in touch then: seeds with its address are left out. */
    boolean dialledInTouch;

    /** Whether something happened to it in this turn. */
    boolean touched;

    /** Whether the list has dropped this record. */
    boolean forgotten;

    /** Its place among those in reach, -1 when it is not. */
    int reachIndex = -1;

    PeerRecord(NodeId id, Timing timing, long nowNanos) {
        this.id = id;
        this.timing = timing;
        rank = Digest.rank(id);
        stateSinceNanos = nowNanos;
        learntAtNanos = nowNanos;
        lastSentNanos = nowNanos;
        forgetAtNanos = nowNanos + timing.forgetUnheardNanos();
    }

    /** Heard in this boot and not given up: its nonce belongs to a living process. */
    boolean alive() {
        return heardIncarnation > 0 && inTouch();
    }

    /** Returns whether it counts as present: what {@code hears} in a frame's header says. */
    boolean inTouch() {
        return state == PeerState.ACTIVE || state == PeerState.SCHRODINGER;
    }

    /** Returns whether it said GOODBYE in the last boot heard of, so that only its next boot brings it back. */
    boolean saidGoodbye() {
        return goodbye > 0;
    }

    void introducedBy(PeerRecord peer) {
        introducer = peer;
        peer.introduced++;
    }

    /** Called when it was met or is forgotten: the limited peer that named it may then name another one. */
    void met() {
        if (introducer != null) {
            introducer.introduced--;
            introducer = null;
        }
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
                removedBelow > 0 ? Timing.millisOf(removedUntilNanos - nowNanos) : 0,
                Timing.millisOf(inTouch() ? timing.forgetNanos() : forgetAtNanos - nowNanos));
    }

    /** Returns what is to be dialled for it, empty for nothing. */
    String target() {
        if (!dialAddress.isEmpty()) {
            return dialAddress;
        }
        return removed() || (leftForGood && !linked) ? "" : address;
    }

    /**
     * When its link counts as dead, because nothing it carries is confirmed although the process is believed to be there, or
     * was there. {@link Long#MAX_VALUE} when there is nothing to judge.
     */
    long linkDeadAtNanos() {
        boolean judged = linked && (inTouch() || state == PeerState.TERMINATED);
        if (!judged) {
            return Long.MAX_VALUE;
        }
        return Math.max(linkedAtNanos, traffic.confirmedAtNanos()) + timing.failoverNanos();
    }

    /** Returns whether it is of those that are forgotten in the end: nobody in touch, nobody expected. */
    boolean fades() {
        return !removed() && !linked && (state == PeerState.PROSPECT || state == PeerState.TERMINATED);
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
    public int version(int channel) {
        return channels.version(channel);
    }

    @Override
    public boolean selectable(long nowNanos) {
        if (state != PeerState.ACTIVE || !linked) {
            return false;
        }
        return !drained && !removed() && traffic.takesCopies() && traffic.heardByPeer(nowNanos, timing.suspectNanos());
    }

    @Override
    public boolean writable(int channel) {
        return !fullLanes.contains(channel);
    }

    void allWritable() {
        fullLanes = Set.of();
    }

    void writable(int lane, boolean writable) {
        Set<Integer> full = new TreeSet<>(fullLanes);
        if (writable) {
            full.remove(lane);
        } else {
            full.add(lane);
        }
        fullLanes = Set.copyOf(full);
    }

    @Override
    public long failoverNanos() {
        return traffic.failoverNanos();
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
    public boolean limited() {
        return limited;
    }

    @Override
    public boolean foreign() {
        return foreignWord != null;
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
    public long clockAheadMillis(long nowNanos) {
        return linked && inTouch() ? clock.aheadMillis(timing, nowNanos) : PeerClock.UNKNOWN;
    }

    @Override
    public boolean clockOff() {
        return clock.isOff();
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
