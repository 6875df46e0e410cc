package io.georep.protocol.membership;

import io.georep.model.NodeIdentity;
import io.georep.protocol.membership.HandshakeAdmission.Verdict;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Lets frames and links in or keeps them out, and takes over what their identities tell. */
final class FrameAdmission {
    private static final int REPORTS_REMEMBERED = 256;

    private final Timing timing;
    private final PeerList list;
    private final PeerAutomaton automaton;
    private final Greeter greeter;
    private final OwnNode own;
    private final Formation formation;

    /** Processes of other clusters that were reported. */
    private final TreeSet<String> reported = new TreeSet<>();

    /** Nonce of the last process that was found using this node's id, 0 for none. */
    private long ownRivalNonce;

    FrameAdmission(
            Timing timing, PeerList list, PeerAutomaton automaton, Greeter greeter, OwnNode own, Formation formation) {
        this.timing = timing;
        this.list = list;
        this.automaton = automaton;
        this.greeter = greeter;
        this.own = own;
        this.formation = formation;
    }

    /** A frame arrived; returns the peer, or null when the frame must be dropped. */
    @Nullable
    PeerRecord frame(NodeIdentity from, FrameHeader header, MembershipTurn turn) {
        long incarnation = Math.max(from.incarnation(), header.incarnation());
        boolean namesake = from.id().equals(own.identity.id());
        PeerRecord known = list.find(from.id());
        boolean isRemoved = false;
        if (known != null && known.removed() && from.nonce() == known.nonce) {
            isRemoved = true;
            known.removalTold |= known.traffic.confirms(header, known.removalSaidIn, turn.now());
        }
        // The process was removed: it must not make this node join another cluster.
        Formation.Verdict cluster =
                namesake || isRemoved ? Formation.Verdict.OURS : formation.judge(known, from, header, turn);
        if (cluster == Formation.Verdict.FOREIGN) {
            foreign(from, header, turn);
            return null;
        }
        if (screen(from, incarnation, turn) != Verdict.ACCEPT) {
            return null;
        }
        if (cluster == Formation.Verdict.NOT_YET) {
            notYet(from, turn);
            return null;
        }
        PeerRecord peer = findOrLearn(from, turn);
        if (peer.stranger) {
            list.vouch(peer, turn);
        }
        peer.met();
        list.touch(peer);
        formation.heard(peer, from, header);
        boolean restarted = incarnation != peer.heardIncarnation || from.nonce() != peer.nonce;
        if (restarted) {
            peer.traffic.peerRestarted();
            peer.clock.restarted();
        }
        takeIdentity(peer, from, incarnation);
        peer.limited = from.limited();
        if (!peer.linked) {
            // If it is linked, the channels are those of the process that the link leads to, which may still be another
            // one.
            peer.channels = from.channels().sharedWith(turn.hosted());
        }
        peer.heardIncarnation = incarnation;
        peer.traffic.arrived(header, turn.now());
        boolean wasInTouch = peer.inTouch();
        automaton.p2Heard(peer, turn);
        if (!wasInTouch) {
            list.checkTarget(peer);
        }
        if (restarted && wasInTouch && peer.linked) {
            turn.peerReachable(peer);
        }
        return peer;
    }

    /** Part of a frame arrived from a process that was let in before. */
    void fragment(NodeIdentity from, MembershipTurn turn) {
        PeerRecord peer = list.find(from.id());
        if (peer != null && peer.heardIncarnation > 0 && peer.nonce == from.nonce() && peer.foreignWord == null) {
            list.touch(peer);
            automaton.p2Heard(peer, turn);
        }
    }

    /** The outgoing link reached a process; returns the peer, or null when it was refused. */
    @Nullable
    PeerRecord link(NodeIdentity to, MembershipTurn turn) {
        PeerRecord known = list.find(to.id());
        long incarnation = to.incarnation();
        if (known != null && known.nonce == to.nonce()) {
            // The handshake keeps the boot's first incarnation; the process may have raised it since.
            incarnation = Math.max(incarnation, known.incarnation);
        }
        Verdict verdict = screen(to, incarnation, turn);
        if (verdict == Verdict.CONFLICT || verdict == Verdict.REMOVED) {
            return null;
        }
        PeerRecord peer = findOrMeet(to, false, turn);
        if (peer == null) {
            return null;
        }
        list.touch(peer);
        list.reach().setLinked(peer, true);
        peer.channels = to.channels().sharedWith(turn.hosted());
        peer.linkedAtNanos = turn.now();
        peer.allWritable();
        greeter.linkUp(peer, turn.now());
        if (verdict == Verdict.ACCEPT) {
            // Another process than the one known may belong to another cluster: its first frame will tell (M29).
            if (peer.nonce == to.nonce()) {
                takeIdentity(peer, to, incarnation);
            }
            if (peer.inTouch()) {
                turn.peerReachable(peer);
            }
        }
        // Otherwise this is an outdated boot. It is linked and greeted all the same, and learns from the WELCOME that
        // it is.
        return peer;
    }

    private PeerRecord findOrLearn(NodeIdentity identity, MembershipTurn turn) {
        PeerRecord peer = list.find(identity.id());
        return peer != null ? peer : list.learn(identity.id(), identity.site(), turn);
    }

    private @Nullable PeerRecord findOrMeet(NodeIdentity identity, boolean joins, MembershipTurn turn) {
        PeerRecord peer = list.find(identity.id());
        return peer != null ? peer : list.meetStranger(identity.id(), identity.site(), joins, turn);
    }

    /** M29: the process must hear of this cluster before anything that it says counts. */
    private void notYet(NodeIdentity from, MembershipTurn turn) {
        PeerRecord peer = findOrMeet(from, true, turn);
        if (peer != null) {
            if (!peer.stranger) {
                automaton.p11StaleFrame(peer);
            }
            greet(peer, from, turn);
        }
    }

    private void greet(PeerRecord peer, NodeIdentity from, MembershipTurn turn) {
        list.touch(peer);
        peer.forgetAtNanos = peer.stranger ? turn.now() + timing.holdBackMaxNanos() : peer.forgetAtNanos;
        peer.dialAddress = from.address();
        list.checkTarget(peer);
    }

    /** M31: nothing that the process says counts, but it is dialled, so that it hears why. */
    private void foreign(NodeIdentity from, FrameHeader header, MembershipTurn turn) {
        PeerRecord peer = findOrMeet(from, false, turn);
        ClusterWord word = header.cluster() != null || peer == null ? header.cluster() : peer.word;
        String text = foreignText(from, word);
        if (reported.size() >= REPORTS_REMEMBERED) {
            reported.clear();
        }
        if (reported.add(text)) {
            turn.notify(new MembershipEvent.Foreign(from.id(), from.address(), text));
        }
        if (peer == null) {
            return;
        }
        boolean anothersName = !peer.stranger && from.nonce() != peer.nonce;
        if (anothersName && (peer.alive() || !from.address().equals(peer.address))) {
            // The transport keeps one link per name, and this one is taken.
            turn.refuse(from, text);
            return;
        }
        peer.foreignWord = word;
        if (peer.stranger) {
            greet(peer, from, turn);
        }
    }

    private String foreignText(NodeIdentity from, @Nullable ClusterWord word) {
        return "node '" + from.id() + "' at " + from.address() + " belongs to cluster "
                + (word == null ? "unknown" : ClusterWord.text(word.id())) + ", this node '" + own.identity.id()
                + "' at "
                + own.identity.address() + " to cluster " + ClusterWord.text(own.cluster)
                + ", and nothing is taken from it: if a seed is wrong, correct it and give the clusters names of their own;"
                + " if the two are one cluster that was split, order one node of the part that is to give in to join the"
                + " cluster of a node of the other part";
    }

    /** Judges an identity and does what the verdict asks for, short of letting it in. */
    private Verdict screen(NodeIdentity identity, long incarnation, MembershipTurn turn) {
        if (identity.id().equals(own.identity.id())) {
            ownId(identity, turn);
            return Verdict.CONFLICT;
        }
        PeerRecord peer = list.find(identity.id());
        Verdict verdict = HandshakeAdmission.judge(peer, identity, incarnation);
        if (peer == null) {
            return verdict;
        }
        list.touch(peer);
        switch (verdict) {
            case STALE -> {
                automaton.p11StaleFrame(peer);
                peer.dialAddress = identity.address();
                list.checkTarget(peer);
            }
            case CONFLICT -> conflict(peer, identity, turn);
            case REMOVED -> {
                peer.dialAddress = "";
                list.checkTarget(peer);
                turn.refuse(identity, HandshakeAdmission.removedText(identity));
            }
            case ACCEPT -> {}
        }
        return verdict;
    }

    /** A frame under the name of this node: its data directory was copied, unless a seed address leads back here. */
    private void ownId(NodeIdentity identity, MembershipTurn turn) {
        if (identity.nonce() == own.identity.nonce()) {
            return;
        }
        String text = HandshakeAdmission.conflictText(identity, own.identity.address());
        if (identity.nonce() != ownRivalNonce) {
            ownRivalNonce = identity.nonce();
            turn.notify(new MembershipEvent.Conflict(identity.id(), text));
        }
        turn.refuse(identity, text);
    }

    private static void conflict(PeerRecord peer, NodeIdentity newcomer, MembershipTurn turn) {
        String text = HandshakeAdmission.conflictText(newcomer, peer.address);
        if (peer.rival == null || peer.rival.nonce() != newcomer.nonce()) {
            turn.notify(new MembershipEvent.Conflict(peer.id, text));
        }
        peer.rival = newcomer;
        turn.refuse(newcomer, text);
    }

    private void takeIdentity(PeerRecord peer, NodeIdentity identity, long incarnation) {
        if (incarnation > peer.incarnation || identity.nonce() != peer.nonce) {
            peer.goodbye = 0;
        }
        boolean same = incarnation == peer.incarnation
                && identity.generation() == peer.generation
                && identity.nonce() == peer.nonce
                && identity.address().equals(peer.address)
                && identity.site().equals(peer.site);
        if (!peer.dialAddress.isEmpty()) {
            peer.dialAddress = "";
            list.checkTarget(peer);
        }
        if (!same) {
            peer.incarnation = incarnation;
            peer.generation = identity.generation();
            peer.nonce = identity.nonce();
            peer.address = identity.address();
            peer.site = identity.site();
            peer.rival = null;
            list.changed(peer);
        }
    }
}
