package io.georep.protocol.membership;

import io.georep.model.PeerState;

/** Which transitions of a peer are due by time alone, and when the next one is. */
final class PeerDeadlines {
    private PeerDeadlines() {}

    /** Fires what is due. If the timer is late, these may be several steps. */
    static void tick(PeerRecord peer, PeerAutomaton automaton, Timing timing, MembershipTurn turn) {
        long nowNanos = turn.now();
        PeerState due = FailureDetector.afterSilence(peer.state, nowNanos - peer.lastHeardNanos, timing);
        if (due == PeerState.SCHRODINGER) {
            automaton.p3Suspected(peer, turn);
            due = FailureDetector.afterSilence(peer.state, nowNanos - peer.lastHeardNanos, timing);
        }
        if (due == PeerState.TERMINATED) {
            automaton.p4GivenUp(peer, turn);
        }
        if (peer.state == PeerState.ARNOLD && peer.returnAtNanos <= nowNanos) {
            automaton.p6ReturnMissed(peer, turn);
        }
        if (peer.state == PeerState.PROSPECT && blockedUntil(peer, timing) <= nowNanos) {
            automaton.p8BlockedTooLong(peer, turn);
        }
    }

    /**
     * Returns when {@link #tick} will do something, or the memory of a removal or of the name ends; {@link
     * Long#MAX_VALUE} for never.
     */
    static long nextDeadline(PeerRecord peer, Timing timing) {
        long next = switch (peer.state) {
            case ACTIVE, SCHRODINGER -> FailureDetector.silenceDeadline(peer.state, peer.lastHeardNanos, timing);
            case ARNOLD -> peer.returnAtNanos;
            case PROSPECT -> Math.min(blockedUntil(peer, timing), forgottenAt(peer));
            case TERMINATED -> forgottenAt(peer);
        };
        next = Math.min(next, peer.linkDeadAtNanos());
        return peer.removedBelow > 0 ? Math.min(next, peer.removedUntilNanos) : next;
    }

    private static long forgottenAt(PeerRecord peer) {
        return peer.fades() ? peer.forgetAtNanos : Long.MAX_VALUE;
    }

    private static long blockedUntil(PeerRecord peer, Timing timing) {
        return peer.blocking ? peer.learntAtNanos + timing.failoverNanos() : Long.MAX_VALUE;
    }

    /** Shortens every silence by the time during which this node itself could not hear. */
    static void shorten(PeerRecord peer, long creditNanos, long nowNanos) {
        if (creditNanos == 0) {
            return;
        }
        peer.lastHeardNanos = Math.min(nowNanos, peer.lastHeardNanos + creditNanos);
        peer.learntAtNanos = Math.min(nowNanos, peer.learntAtNanos + creditNanos);
        peer.linkedAtNanos =
                Math.min(nowNanos, Math.max(peer.linkedAtNanos, peer.traffic.confirmedAtNanos()) + creditNanos);
        peer.forgetAtNanos += creditNanos;
        if (peer.state == PeerState.ARNOLD) {
            // The announced return stays as it is. But if it fell into the time in which this node could not hear, the
            // peer gets time to be heard.
            long heardByNanos = nowNanos + peer.timing.failoverNanos();
            peer.returnAtNanos = Math.max(peer.returnAtNanos, Math.min(peer.returnAtNanos + creditNanos, heardByNanos));
        }
    }
}
