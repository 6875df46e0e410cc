package io.georep.protocol.membership;

import io.georep.protocol.Alarms;

/** Ends names: those that an operator removed, and those that nobody has heard of for long. */
final class Forgetting {
    private final Timing timing;
    private final PeerList list;
    private final Alarms<PeerRecord> alarms;

    Forgetting(Timing timing, PeerList list, Alarms<PeerRecord> alarms) {
        this.timing = timing;
        this.list = list;
        this.alarms = alarms;
    }

    /** Handles a peer that is due: its name may be due to be forgotten, too. */
    void onTimer(PeerRecord peer, MembershipTurn turn) {
        if (peer.removedBelow > 0 && peer.removedUntilNanos <= turn.now()) {
            forgetRemoval(peer, turn);
        } else if (peer.fades() && peer.forgetAtNanos <= turn.now()) {
            forgetName(peer, turn);
        }
    }

    /** If there are more names than all nodes keep, the surplus goes as soon as it is clear that nobody is there. */
    void hurry(PeerRecord peer, long nowNanos) {
        if (peer.surplus && peer.fades()) {
            peer.forgetAtNanos = Math.min(peer.forgetAtNanos, nowNanos + timing.failoverNanos());
        }
    }

    private void forgetRemoval(PeerRecord peer, MembershipTurn turn) {
        if (!peer.removed()) {
            peer.removedBelow = 0;
            list.changedQuietly(peer);
        } else if (isOwed(peer, turn)) {
            peer.removedUntilNanos = turn.now() + timing.tombstoneNanos();
            list.changedQuietly(peer);
        } else {
            forget(peer, turn);
        }
    }

    /** Returns whether something is still owed to it, or expected of it. */
    private static boolean isOwed(PeerRecord peer, MembershipTurn turn) {
        return peer.blocking && turn.isNeeded(peer.id);
    }

    /** Forgets the name of a peer of which nobody has heard for long. */
    private void forgetName(PeerRecord peer, MembershipTurn turn) {
        if (isOwed(peer, turn)) {
            peer.forgetAtNanos = turn.now() + timing.tombstoneNanos();
        } else {
            forget(peer, turn);
        }
    }

    private void forget(PeerRecord peer, MembershipTurn turn) {
        list.forget(peer);
        alarms.cancel(peer);
        if (!peer.stranger) {
            StoredMembership.deletePeer(peer.id, turn.store());
            turn.peerForgotten(peer.id);
        }
    }
}
