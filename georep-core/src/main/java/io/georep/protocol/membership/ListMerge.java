package io.georep.protocol.membership;

import org.jspecify.annotations.Nullable;

/**
 * Joins another node's list into this one's. Per id the list is a join-semilattice, so the order and number of merges do
 * not matter: the boot with the higher incarnation wins; within a boot the higher GOODBYE number, and for one number the
 * later return; the higher drain version; the higher removal. What depends on who heard whom (the peer's state) is not
 * part of it.
 */
final class ListMerge {
    private final Timing timing;
    private final PeerList list;
    private final PeerAutomaton automaton;

    ListMerge(Timing timing, PeerList list, PeerAutomaton automaton) {
        this.timing = timing;
        this.list = list;
        this.automaton = automaton;
    }

    /** Joins one line about another node. */
    void merge(PeerEntry entry, MembershipTurn turn) {
        PeerRecord peer = list.find(entry.id());
        if (peer == null) {
            // A removal that is nearly forgotten is not learnt again, or nodes would remind each other for ever.
            // Neither is a name.
            boolean forgotten = entry.removed() ? !remembered(entry) : !remembers(entry.forgetMillis());
            boolean inTouch = entry.forgetMillis() >= Timing.millisOf(timing.forgetNanos());
            if (forgotten || !list.admits(entry.id(), inTouch)) {
                return;
            }
            peer = list.learn(entry.id(), entry.site(), turn);
            peer.forgetAtNanos = forgetAt(entry, turn);
        } else if (peer.stranger) {
            list.vouch(peer, turn);
        }
        list.touch(peer);
        boolean removedBefore = peer.removed();
        boolean rival = isRival(peer, entry);
        boolean changed = !rival && mergeBoot(peer, entry, turn);
        if (removedBefore && !peer.removed()) {
            turn.peerChanged(peer, peer.state);
        }
        changed |= mergeDrain(peer, entry, turn);
        changed |= !rival && mergeRemoval(peer, entry, turn);
        mergeMemory(peer, entry, turn);
        if (changed) {
            list.changed(peer);
        }
    }

    /**
     * Takes the longest of the times for which it is to be remembered: who heard of it last knows best. That is no
     * news, so the lists come to rest.
     */
    private void mergeMemory(PeerRecord peer, PeerEntry entry, MembershipTurn turn) {
        boolean same = entry.incarnation() == peer.incarnation && entry.goodbye() == peer.goodbye;
        long untilNanos = forgetAt(entry, turn);
        if (same && !peer.leftForGood && !peer.surplus && untilNanos - peer.forgetAtNanos > timing.noiseNanos()) {
            peer.forgetAtNanos = untilNanos;
        }
    }

    private long forgetAt(PeerEntry entry, MembershipTurn turn) {
        return turn.now() + Math.min(timing.forgetUnheardNanos(), Timing.nanosOf(entry.forgetMillis()));
    }

    /** Gap G13: a living process is not pushed aside by what others say; the digests differ until it is given up. */
    private static boolean isRival(PeerRecord peer, PeerEntry entry) {
        return peer.alive()
                && entry.incarnation() >= peer.incarnation
                && entry.nonce() != peer.nonce
                && !entry.address().equals(peer.address);
    }

    private boolean mergeBoot(PeerRecord peer, PeerEntry entry, MembershipTurn turn) {
        if (entry.incarnation() < peer.incarnation) {
            return false;
        }
        if (entry.incarnation() == peer.incarnation) {
            return mergeSameNumber(peer, entry, turn);
        }
        takeIdentity(peer, entry);
        peer.goodbye = 0;
        mergeGoodbye(peer, entry, turn);
        return true;
    }

    /** If a store was lost, one number may stand for two boots: then each has its own identity and its own GOODBYE. */
    private boolean mergeSameNumber(PeerRecord peer, PeerEntry entry, MembershipTurn turn) {
        boolean otherBoot = entry.nonce() != 0 && peer.nonce != 0 && entry.nonce() != peer.nonce;
        boolean taken = peer.heardIncarnation == 0 && isGreater(entry, peer);
        if (taken) {
            takeIdentity(peer, entry);
            peer.goodbye = otherBoot ? 0 : peer.goodbye;
        } else if (otherBoot) {
            return false;
        }
        return mergeGoodbye(peer, entry, turn) || taken;
    }

    /**
     * Decides between two boots with one number that nobody here has heard. Any order will do if all nodes use the
     * same.
     */
    private static boolean isGreater(PeerEntry entry, PeerRecord peer) {
        if (entry.nonce() != peer.nonce) {
            return Long.compareUnsigned(entry.nonce(), peer.nonce) > 0;
        }
        int byAddress = entry.address().compareTo(peer.address);
        return byAddress != 0 ? byAddress > 0 : entry.site().compareTo(peer.site) > 0;
    }

    private static void takeIdentity(PeerRecord peer, PeerEntry entry) {
        peer.incarnation = entry.incarnation();
        peer.generation = entry.generation();
        peer.nonce = entry.nonce();
        peer.address = entry.address();
        peer.site = entry.site();
        peer.dialAddress = "";
    }

    private boolean mergeGoodbye(PeerRecord peer, PeerEntry entry, MembershipTurn turn) {
        long returnAtNanos = turn.now() + Timing.nanosOf(entry.returnMillis());
        if (entry.goodbye() > peer.goodbye) {
            peer.goodbye = entry.goodbye();
            peer.forgetAtNanos = forgetAt(entry, turn);
            peer.leftForGood = entry.leftForGood(timing);
            automaton.p9GoodbyeByGossip(peer, returnAtNanos, turn);
            return true;
        }
        if (entry.goodbye() != peer.goodbye || entry.returnMillis() == 0) {
            return false;
        }
        return automaton.p7LaterReturn(peer, returnAtNanos);
    }

    /** Returns whether a line tells an operator's order to drain, or to end that, which is newer than what is known here. */
    boolean isNewDrain(PeerEntry entry, @Nullable PeerRecord known) {
        return isLaterDrain(entry, known == null ? 0 : known.drainVersion, known != null && known.drained);
    }

    /** Returns whether a line tells a removal that is not known here. */
    boolean isNewRemoval(PeerEntry entry, @Nullable PeerRecord known) {
        return entry.removedBelow() > (known == null ? 0 : known.removedBelow) && remembered(entry);
    }

    private boolean mergeDrain(PeerRecord peer, PeerEntry entry, MembershipTurn turn) {
        if (!isNewDrain(entry, peer)) {
            return false;
        }
        drain(peer, entry.drainVersion(), entry.drained(), turn);
        return true;
    }

    /** Last writer wins; of two writers with one version the one that drains. */
    static boolean isLaterDrain(PeerEntry entry, long version, boolean drained) {
        return entry.drainVersion() > version || (entry.drainVersion() == version && entry.drained() && !drained);
    }

    void drain(PeerRecord peer, long version, boolean on, MembershipTurn turn) {
        boolean flips = peer.drained != on;
        peer.drainVersion = version;
        peer.drained = on;
        peer.drainedIn = peer.incarnation;
        if (flips) {
            turn.notify(new MembershipEvent.Drained(peer.id, on));
            turn.peerChanged(peer, peer.state);
        }
    }

    private boolean mergeRemoval(PeerRecord peer, PeerEntry entry, MembershipTurn turn) {
        if (!isNewRemoval(entry, peer)) {
            return false;
        }
        remove(peer, entry.removedBelow(), Timing.nanosOf(entry.removedMillis()), turn);
        return true;
    }

    void remove(PeerRecord peer, long below, long rememberNanos, MembershipTurn turn) {
        boolean before = peer.removed();
        peer.removedBelow = below;
        peer.removedUntilNanos = turn.now() + rememberNanos;
        if (peer.removed() && !before) {
            peer.listDue = peer.linked;
            peer.removalSaidIn = Long.MAX_VALUE;
            peer.removalTold = false;
            automaton.p12Removed(peer, turn);
        }
    }

    private boolean remembered(PeerEntry entry) {
        return remembers(entry.removedMillis());
    }

    private boolean remembers(long millis) {
        return Timing.nanosOf(millis) > timing.failoverNanos();
    }
}
