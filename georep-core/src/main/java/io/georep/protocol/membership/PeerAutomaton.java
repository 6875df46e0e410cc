package io.georep.protocol.membership;

import io.georep.model.PeerState;

/**
 * Life cycle of a peer, one method per transition, numbered as in {@code docs/how-it-works/protocol.md}. A method checks that the
 * transition is allowed in the peer's state and does nothing otherwise; whether it is time is the caller's business.
 *
 * <pre>
 *                 p2 frame                        p3 T_s                   p4 T_x
 *  p1 ─▶ PROSPECT ────────▶ ACTIVE ──────────────────▶ SCHRODINGER ──────────────▶ TERMINATED
 *           │ p8 blocks an entry │  ◀───── p2 frame ─────── │  p2 frame ▲               ▲
 *           └────────────────────┼──── p5, p9 GOODBYE ──────┤           └── ACTIVE ◀────┤ p2 frame
 *                                └──────────▶ ARNOLD ◀──────┘                           │
 *                                              └───────────── p6 deadline ──────────────┘
 * </pre>
 */
final class PeerAutomaton {
    private final Timing timing;

    PeerAutomaton(Timing timing) {
        this.timing = timing;
    }

    /** p1: a name was learnt. The record is new, so it is in its first state already. */
    void p1Learnt(PeerRecord peer, MembershipTurn turn) {
        turn.notify(new MembershipEvent.StateChanged(peer.id, peer.site, null, peer.state));
    }

    /**
     * p2: a life sign. After GOODBYE only a newer boot counts: frames of the old one may still be on their way, and
     * urgent ones overtake.
     */
    void p2Heard(PeerRecord peer, MembershipTurn turn) {
        if (peer.saidGoodbye() || peer.removed()) {
            return;
        }
        peer.lastHeardNanos = turn.now();
        PeerState before = peer.state;
        if (before == PeerState.ACTIVE) {
            return;
        }
        move(peer, PeerState.ACTIVE, turn);
        if (before != PeerState.SCHRODINGER) {
            peer.welcomeDue = true;
            if (peer.linked) {
                turn.peerReachable(peer);
            }
        }
    }

    /** p3: silent for T_s. */
    void p3Suspected(PeerRecord peer, MembershipTurn turn) {
        if (peer.state == PeerState.ACTIVE) {
            move(peer, PeerState.SCHRODINGER, turn);
        }
    }

    /** p4: silent for a further T_x. */
    void p4GivenUp(PeerRecord peer, MembershipTurn turn) {
        if (peer.state == PeerState.SCHRODINGER) {
            peer.forgetAtNanos = peer.lastHeardNanos + timing.forgetNanos();
            move(peer, PeerState.TERMINATED, turn);
        }
    }

    /** p5: it said GOODBYE itself. Zero means for good: nobody need wait. */
    void p5SaidGoodbye(PeerRecord peer, long number, long awayNanos, MembershipTurn turn) {
        long deadlineNanos = turn.now() + awayNanos + timing.graceNanos();
        // Perhaps others told it before (p9). Then this node left time for what was under way, which has arrived by
        // now.
        boolean waits = peer.state == PeerState.ARNOLD && !(awayNanos == 0 && peer.leftForGood);
        boolean known = waits || peer.state == PeerState.TERMINATED;
        if (number < peer.goodbye || (number == peer.goodbye && known)) {
            p7LaterReturn(peer, deadlineNanos);
            return;
        }
        peer.goodbye = number;
        if (awayNanos > 0) {
            peer.returnAtNanos = deadlineNanos;
            peer.forgetAtNanos = deadlineNanos + timing.forgetNanos();
            peer.leftForGood = false;
            move(peer, PeerState.ARNOLD, turn);
        } else {
            peer.forgetAtNanos = turn.now() + timing.tombstoneNanos();
            peer.leftForGood = true;
            move(peer, PeerState.TERMINATED, turn);
        }
    }

    /** p6: the announced return is overdue. */
    void p6ReturnMissed(PeerRecord peer, MembershipTurn turn) {
        if (peer.state == PeerState.ARNOLD) {
            move(peer, PeerState.TERMINATED, turn);
        }
    }

    /**
     * p7: others expect it back later.
     *
     * @return whether that was news
     */
    boolean p7LaterReturn(PeerRecord peer, long returnAtNanos) {
        if (peer.state != PeerState.ARNOLD || returnAtNanos - peer.returnAtNanos <= timing.noiseNanos()) {
            return false;
        }
        peer.returnAtNanos = returnAtNanos;
        return true;
    }

    /** p8: met by name only, silent ever since, and a stored entry waits for its fate (gap G3). */
    void p8BlockedTooLong(PeerRecord peer, MembershipTurn turn) {
        if (peer.state == PeerState.PROSPECT && peer.blocking) {
            move(peer, PeerState.TERMINATED, turn);
        }
    }

    /**
     * p9: others heard its GOODBYE. The number is already joined; a frame of the same boot cannot be newer than that.
     * p10: a peer that is given up stays so.
     */
    void p9GoodbyeByGossip(PeerRecord peer, long returnAtNanos, MembershipTurn turn) {
        boolean met = peer.state == PeerState.ACTIVE || peer.state == PeerState.SCHRODINGER;
        boolean expected = peer.state == PeerState.PROSPECT && returnAtNanos > turn.now();
        if (met || expected) {
            // The node that told this may have given the peer up. What this node itself heard of the peer counts as
            // before.
            long silentNanos = met ? peer.lastHeardNanos + timing.failoverNanos() : returnAtNanos;
            peer.returnAtNanos = Math.max(returnAtNanos, silentNanos);
            move(peer, PeerState.ARNOLD, turn);
        } else if (peer.state == PeerState.ARNOLD) {
            peer.returnAtNanos = returnAtNanos;
        }
    }

    /** p11: a frame of an older boot. Nothing changes; a WELCOME tells the sender what is known of it. */
    void p11StaleFrame(PeerRecord peer) {
        peer.welcomeDue = true;
    }

    /** p12: an operator removed it. Its entries may be adopted at once. */
    void p12Removed(PeerRecord peer, MembershipTurn turn) {
        turn.notify(new MembershipEvent.Removed(peer.id));
        if (peer.state == PeerState.TERMINATED) {
            turn.peerChanged(peer, peer.state);
        } else {
            move(peer, PeerState.TERMINATED, turn);
        }
    }

    private static void move(PeerRecord peer, PeerState to, MembershipTurn turn) {
        PeerState before = peer.state;
        if (before == to) {
            return;
        }
        boolean wasInTouch = peer.inTouch();
        peer.state = to;
        // What is stored tells whether it was in touch, and if not, since when.
        peer.unsaved |= wasInTouch != peer.inTouch();
        peer.stateSinceNanos = turn.now();
        if (to == PeerState.ACTIVE) {
            peer.returnAtNanos = 0;
            peer.leftForGood = false;
        }
        turn.peerChanged(peer, before);
        turn.notify(new MembershipEvent.StateChanged(peer.id, peer.site, before, to));
    }
}
