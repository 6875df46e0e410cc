package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.membership.ClusterWord;
import io.georep.protocol.membership.FrameHeader;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.protocol.membership.MembershipProtocol;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What one node hears of the others in its present boot and says to them: I8, I16 and I19 of {@code docs/how-it-works/protocol.md}. */
final class SilenceJudge {
    /** What a node has heard of another one. */
    private static final class Heard {
        long incarnation;
        long nonce;
        String address = "";

        /** When a frame came last, or the peer was learnt. */
        long atNanos;

        long highestSeen;
        boolean wasRemoved;

        /** When this node could not speak last. */
        long mutedAt;

        Heard(long nowNanos) {
            atNanos = nowNanos;
        }
    }

    private static final double DRIFT = 0.99;
    private static final long HELLO_PAUSE_MAX = 30 * World.SECONDS;

    private final SimulatedCluster cluster;
    private final SimulatedNode node;
    private boolean fresh;
    private long bootedAtNanos;
    private final TreeMap<NodeId, Heard> peers = new TreeMap<>();

    /** Whom an operator removed in this turn. */
    private final TreeSet<NodeId> removedNow = new TreeSet<>();

    /** Who was heard in this turn already: a node that stood still hears several processes of one name in one turn. */
    private final TreeSet<NodeId> heardNow = new TreeSet<>();

    /** Which boot of a peer was heard under each number, which the store may know after a restart. */
    private final TreeMap<NodeId, TreeMap<Long, Long>> nonces = new TreeMap<>();

    SilenceJudge(SimulatedCluster cluster, SimulatedNode node) {
        this.cluster = cluster;
        this.node = node;
    }

    private MembershipProtocol membership() {
        return node.protocols().membership();
    }

    void booting() {
        peers.clear();
        fresh = true;
        bootedAtNanos = node.clock().nanos();
    }

    private Heard heard(NodeId peer) {
        return peers.computeIfAbsent(
                peer, none -> new Heard(fresh ? bootedAtNanos : node.clock().nanos()));
    }

    /** A frame is about to be handled. */
    void frameArrived(NodeIdentity from, FrameHeader header) {
        long incarnation = Math.max(from.incarnation(), header.incarnation());
        Heard heard = heard(from.id());
        if (isYetToComeIn(from, header.cluster(), heard)) {
            return;
        }
        if (incarnation < heard.incarnation || (incarnation == heard.incarnation && from.nonce() != heard.nonce)) {
            return;
        }
        Peer known = membership().find(from.id());
        boolean removed = known != null && known.removed() && known.incarnation() == incarnation;
        if (known != null && (known.incarnation() > incarnation || removed)) {
            return;
        }
        if (known != null && known.incarnation() == incarnation && isSecondUse(known, from)) {
            return;
        }
        boolean alive = heardNow.contains(from.id())
                || (known != null && (known.state() == PeerState.ACTIVE || known.state() == PeerState.SCHRODINGER));
        if (alive && from.nonce() != heard.nonce && !from.address().equals(heard.address)) {
            // Another process with the id of a living one is refused (M18), also when it is the same node that moved.
            return;
        }
        nonces.computeIfAbsent(from.id(), none -> new TreeMap<>()).put(incarnation, from.nonce());
        heardNow.add(from.id());
        heard.incarnation = incarnation;
        heard.nonce = from.nonce();
        heard.address = from.address();
        heard.atNanos = node.clock().nanos();
    }

    /** What a forming process says does not count in a settled cluster before it has taken its id (M29). */
    private boolean isYetToComeIn(NodeIdentity from, @Nullable ClusterWord word, Heard heard) {
        if (word == null || word.isSettled() || from.nonce() == heard.nonce) {
            return false;
        }
        Peers.Cluster own = membership().cluster();
        return own.settled() && !ClusterWord.text(word.id()).equals(own.id());
    }

    /** A number that another boot has used is stale, until its node is told and takes a higher one (M17). */
    private boolean isSecondUse(Peer known, NodeIdentity from) {
        Long nonce = nonces.getOrDefault(known.id(), new TreeMap<>()).get(known.incarnation());
        return (known.generation() != 0 && known.generation() != from.generation())
                || (nonce != null && nonce != from.nonce());
    }

    void lifeSign(NodeIdentity from) {
        Heard heard = peers.get(from.id());
        if (heard != null && heard.nonce == from.nonce()) {
            heard.atNanos = node.clock().nanos();
        }
    }

    /**
     * I8, first half: a peer is given up only when nothing came from it for T_s + T_x since it was heard last, or learnt, or
     * when it said it would be away and the time is over, or by an operator.
     */
    void stateChanged(MembershipEvent.StateChanged changed) {
        if (changed.after() != PeerState.TERMINATED) {
            return;
        }
        Peer peer = membership().find(changed.peer());
        Heard heard = heard(changed.peer());
        if (peer == null || peer.removed() || removedNow.contains(changed.peer()) || isOverdue(peer, heard)) {
            return;
        }
        long silence = node.clock().nanos() - heard.atNanos;
        check(
                silence >= cluster.config(node).failoverAfter().toNanos(),
                "I8",
                () -> node + " gives " + changed + " up after a silence of " + silence / World.MILLIS + " ms; its "
                        + peer + " announced "
                        + cluster.absences(cluster.node(peer.id())));
    }

    /** Whether the process this node heard last, or a later one, said GOODBYE and should be back. */
    private boolean isOverdue(Peer peer, Heard heard) {
        long now = cluster.world().now();
        return cluster.absences(cluster.node(peer.id())).stream()
                .anyMatch(absence -> absence.incarnation() >= heard.incarnation
                        && now - absence.saidAt() >= absence.awayNanos() * DRIFT);
    }

    /** Whom this node knows before the first turn of a boot it knows since the boot. */
    void turning() {
        if (fresh) {
            membership().all().forEach(peer -> heard(peer.id()));
            fresh = false;
        }
    }

    /** An operator removed it; its next boot may be heard in the same turn, and then it is not removed any more. */
    void removed(MembershipEvent.Removed removed) {
        removedNow.add(removed.peer());
    }

    void turned() {
        removedNow.clear();
        heardNow.clear();
        MembershipProtocol membership = membership();
        for (Peer peer : membership.all()) {
            Heard heard = heard(peer.id());
            // A removal is forgotten after T_tomb with all that was known of the node (M24), which then begins anew.
            check(
                    peer.incarnation() >= heard.highestSeen || heard.wasRemoved,
                    "I19",
                    () -> node + " knew " + peer.id() + " by a higher incarnation than " + peer.incarnation());
            check(
                    peer.incarnation() <= cluster.peers().highestIncarnation(peer.id()),
                    "M33",
                    () -> node + " believes that " + peer + " was once at that incarnation");
            heard.highestSeen = peer.incarnation();
            heard.wasRemoved = peer.removed();
            speaks(peer, heard, membership.maySend());
        }
        // A name that nobody hears of is forgotten with its number (M26).
        peers.forEach((id, heard) -> heard.highestSeen = membership.find(id) == null ? 0 : heard.highestSeen);
    }

    /** I16, while anything may happen: on a link that can be used a frame leaves at least every T_hbd. */
    private void speaks(Peer peer, Heard heard, boolean allowed) {
        long now = cluster.world().now();
        Connection connection = cluster.way(node, cluster.node(peer.id())).connection();
        if (connection == null || !connection.isUsable() || !peer.linked() || peer.removed() || !allowed) {
            heard.mutedAt = now;
            return;
        }
        long since = Math.max(connection.triedAt(), Math.max(heard.mutedAt, node.resumedAt()));
        // A Prospect has not been heard yet; HELLO comes ever more seldom, and no heartbeat (M4).
        long most = peer.state() == PeerState.PROSPECT
                ? HELLO_PAUSE_MAX
                : Math.max(
                        cluster.config(node).heartbeatAway().toNanos(),
                        cluster.config(node).heartbeat().toNanos());
        check(
                now - since <= most * (2 - DRIFT) + World.SECONDS,
                "I16",
                () -> node + " said nothing to " + peer + " for " + (now - since) / World.MILLIS + " ms");
    }
}
