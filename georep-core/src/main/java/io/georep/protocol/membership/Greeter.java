package io.georep.protocol.membership;

import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.protocol.MembershipProtocol;
import io.georep.protocol.Turn;
import java.util.List;

/**
 * Puts together, at the end of a turn, what membership has to say to each peer: HELLO to Prospects, lists where they are
 * due, else a heartbeat where nothing was sent for long.
 */
final class Greeter {
    private final Timing timing;
    private final LifeSigns lifeSigns;
    private final PeerList list;
    private final OwnNode own;

    Greeter(Timing timing, LifeSigns lifeSigns, PeerList list, OwnNode own) {
        this.timing = timing;
        this.lifeSigns = lifeSigns;
        this.list = list;
        this.own = own;
    }

    /** The list changed: everyone in touch gets it once; the others get it when they are welcomed. */
    void announceList() {
        for (PeerRecord peer : list.all()) {
            peer.listDue |= peer.inTouch() && peer.linked;
        }
    }

    /** This node's store takes copies or none from now on (M25): everyone in touch hears it at once, in a header. */
    void announceStore() {
        for (PeerRecord peer : list.all()) {
            peer.heartbeatDue |= peer.inTouch() && peer.linked;
        }
    }

    /** The outgoing link is up: greet at once. */
    void linkUp(PeerRecord peer, long nowNanos) {
        if (peer.state == PeerState.PROSPECT) {
            peer.helloAttempt = 0;
            peer.helloAtNanos = nowNanos;
        } else if (timing.hardened()) {
            // Lists sent over the broken link may be lost.
            peer.welcomeDue = true;
        } else {
            peer.heartbeatDue = true;
        }
    }

    /** A heartbeat came with another list's digest: send ours, which makes the other side send its own if need be. */
    void compareDigest(PeerRecord peer, long digest, long nowNanos) {
        boolean sentLately = peer.listSent && nowNanos - peer.listSentAtNanos < timing.suspectNanos();
        if (timing.hardened() && !sentLately && digest != list.digest(own, nowNanos)) {
            peer.listDue = true;
        }
    }

    void endOfTurn(Turn turn) {
        if (own.silent) {
            return;
        }
        List<Slice> pages = List.of();
        for (PeerRecord peer : list.all()) {
            if (!peer.linked) {
                continue;
            }
            if (peer.welcomeDue || peer.listDue) {
                if (pages.isEmpty()) {
                    pages = MembershipMessages.pages(list.entries(own, turn.now()));
                }
                sendList(peer, pages, turn);
            } else if (peer.state == PeerState.PROSPECT) {
                hello(peer, turn);
            } else if (heartbeatAt(peer) <= turn.now()) {
                Slice body =
                        timing.hardened() ? MembershipMessages.heartbeat(list.digest(own, turn.now())) : Slice.EMPTY;
                send(peer, MembershipMessages.HEARTBEAT, body, true, turn);
            }
        }
    }

    private void sendList(PeerRecord peer, List<Slice> pages, Turn turn) {
        int type = peer.welcomeDue ? MembershipMessages.WELCOME : MembershipMessages.PEERS;
        for (Slice page : pages) {
            send(peer, type, page, false, turn);
        }
        peer.welcomeDue = false;
        peer.listDue = false;
        peer.listSent = true;
        peer.listSentAtNanos = turn.now();
    }

    private void hello(PeerRecord peer, Turn turn) {
        if (peer.helloAtNanos <= turn.now()) {
            peer.helloAttempt++;
            peer.helloAtNanos = turn.now() + FailureDetector.helloPause(peer.helloAttempt);
            send(peer, MembershipMessages.HELLO, Slice.EMPTY, true, turn);
        }
    }

    private static void send(PeerRecord peer, int type, Slice body, boolean urgent, Turn turn) {
        peer.heartbeatDue = false;
        peer.lastSentNanos = turn.now();
        turn.send(peer, MembershipProtocol.CHANNEL, type, body, urgent);
    }

    /** Whether frames may leave for this peer at all. */
    boolean maySend(PeerRecord peer) {
        boolean suppressed = lifeSigns == LifeSigns.SUPPRESSED && peer.state == PeerState.TERMINATED;
        return !own.silent && !suppressed;
    }

    /** When the next greeting or heartbeat is due; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNanos(PeerRecord peer) {
        if (!peer.linked || !maySend(peer)) {
            return Long.MAX_VALUE;
        }
        return peer.state == PeerState.PROSPECT ? peer.helloAtNanos : heartbeatAt(peer);
    }

    private long heartbeatAt(PeerRecord peer) {
        if (peer.heartbeatDue) {
            return Long.MIN_VALUE;
        }
        if (!maySend(peer) || peer.removed()) {
            return Long.MAX_VALUE;
        }
        return peer.lastSentNanos + FailureDetector.heartbeatPause(peer.state, timing);
    }
}
