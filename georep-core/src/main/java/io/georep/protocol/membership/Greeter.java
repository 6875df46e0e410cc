package io.georep.protocol.membership;

import io.georep.model.PeerState;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts together, at the end of a turn, what the membership has to say to each peer: HELLO to Prospects, lists where
 * they are due, else a heartbeat where nothing was sent for long.
 */
final class Greeter {
    /** Peers a rumour is passed on to, besides one for each doubling of the cluster. */
    private static final int RUMOUR_BASE = 4;

    /** Long lists compared with peers' within one heartbeat. */
    private static final int REPAIRS_MAX = 4;

    /** The version of the membership that knows CLOCK. */
    private static final int CLOCK_SINCE = 2;

    private final Timing timing;
    private final PeerList list;
    private final OwnNode own;
    private long repairsSinceNanos;
    private int repairs;

    Greeter(Timing timing, PeerList list, OwnNode own) {
        this.timing = timing;
        this.list = list;
        this.own = own;
    }

    /**
     * When the list changed: news of this node itself goes to everyone in touch. News of others is passed on to a few of them,
     * drawn anew each time: who hears it for the first time does the same, so all hear it after a few steps, at a cost per
     * node that does not grow with their number. Nodes that a rumour misses find the difference by their digests.
     */
    void announceNews(MembershipTurn turn) {
        if (!list.isChanged()) {
            return;
        }
        int told = list.reach().count();
        if (!list.isOwnEntryChanged() && !list.isOrderForAll()) {
            told = Math.min(told, RUMOUR_BASE + Integer.SIZE - Integer.numberOfLeadingZeros(told));
        }
        for (PeerRecord peer : list.reach().draw(told, turn.random())) {
            peer.newsDue = true;
            list.touch(peer);
        }
    }

    /** This node's store takes copies, or none, from now on (M25): all nodes in touch are told at once, in a header. */
    void announceStore(boolean takes) {
        if (takes == own.storeTakes) {
            return;
        }
        own.storeTakes = takes;
        for (PeerRecord peer : list.linked()) {
            if (peer.inTouch()) {
                peer.heartbeatDue = true;
                list.touch(peer);
            }
        }
    }

    /** This node belongs to another cluster from now on, or for good: all linked nodes are told at once, in a header. */
    void announceCluster(long nowNanos) {
        for (PeerRecord peer : list.linked()) {
            peer.heartbeatDue = true;
            peer.helloAtNanos = Math.min(peer.helloAtNanos, nowNanos);
            list.touch(peer);
        }
    }

    /** Greets a peer as soon as the link to it is up. */
    void linkUp(PeerRecord peer, long nowNanos) {
        peer.traffic.sayClusterAgain();
        peer.clock.linkUp();
        peer.removalSaidIn = Long.MAX_VALUE;
        if (peer.state == PeerState.PROSPECT) {
            peer.helloAttempt = 0;
            peer.helloAtNanos = nowNanos;
        } else {
            // Lists sent over the broken link may be lost.
            peer.welcomeDue = true;
        }
    }

    /** Answers HELLO or a stale frame: with the whole list for a newcomer, otherwise with what concerns the two. */
    void greeted(PeerRecord peer, long linesKnown) {
        peer.welcomeDue = true;
        peer.newcomer = linesKnown < list.lines() / 2;
    }

    /** Finds out where two lists differ, after a heartbeat came with another digest. */
    void compareDigest(PeerRecord peer, long digest, MembershipTurn turn) {
        boolean sentLately = peer.listSent && turn.now() - peer.listSentAtNanos < timing.suspectNanos();
        if (!sentLately && digest != list.digest(own) && mayRepair(turn.now())) {
            peer.repairDue = true;
        }
    }

    /**
     * A long list is compared with one peer at a time; what that peer learns, it passes on to the others. Only a short list
     * may be compared with all peers at once.
     */
    private boolean mayRepair(long nowNanos) {
        if (list.isWhole()) {
            return true;
        }
        if (repairs == 0 || nowNanos - repairsSinceNanos >= timing.heartbeatNanos()) {
            repairsSinceNanos = nowNanos;
            repairs = 0;
        }
        return ++repairs <= REPAIRS_MAX;
    }

    /** Tells the peer the lines in which its sums differ from those of this list. Answers a question with the own sums. */
    void onDigests(PeerRecord peer, MembershipMessages.Digests theirs, MembershipTurn turn) {
        for (Slice page : MembershipMessages.pages(list.differing(theirs.sums(), own, turn.now()))) {
            send(peer, MembershipMessages.PEERS, page, false, turn);
        }
        if (!theirs.isAnswer()) {
            sendDigests(peer, true, turn);
        }
    }

    private void sendDigests(PeerRecord peer, boolean isAnswer, MembershipTurn turn) {
        MembershipMessages.Digests digests = new MembershipMessages.Digests(isAnswer, list.sums(own));
        send(peer, MembershipMessages.DIGESTS, MembershipMessages.digests(digests), false, turn);
        peer.listSent = true;
        peer.listSentAtNanos = turn.now();
    }

    /** Puts together what the peers are to be told to whom something happened in this turn. */
    void endOfTurn(MembershipTurn turn) {
        if (own.silent) {
            return;
        }
        Pages pages = new Pages(turn);
        for (PeerRecord peer : list.touched()) {
            if (peer.linked) {
                tell(peer, pages, turn);
            }
            peer.newsDue = false;
        }
    }

    /** What is sent to several peers in one turn is put together once. */
    private final class Pages {
        private final MembershipTurn turn;
        private List<Slice> whole = List.of();
        private List<Slice> news = List.of();

        Pages(MembershipTurn turn) {
            this.turn = turn;
        }

        List<Slice> whole() {
            if (whole.isEmpty()) {
                whole = MembershipMessages.pages(list.entries(own, turn.now()));
            }
            return whole;
        }

        List<Slice> news() {
            if (news.isEmpty()) {
                List<PeerEntry> entries = new ArrayList<>();
                if (list.isOwnEntryChanged()) {
                    entries.add(own.entry(turn.now()));
                }
                list.news().forEach(record -> PeerList.tell(record, own, turn.now(), entries));
                news = MembershipMessages.pages(entries);
            }
            return news;
        }
    }

    private void tell(PeerRecord peer, Pages pages, MembershipTurn turn) {
        boolean listDue = peer.welcomeDue || peer.listDue;
        if (listDue || (peer.repairDue && list.isWhole())) {
            boolean all = list.isWhole() || (peer.welcomeDue && peer.newcomer);
            List<Slice> bodies = all ? pages.whole() : aboutUs(peer, turn);
            int type = peer.welcomeDue ? MembershipMessages.WELCOME : MembershipMessages.PEERS;
            // A removed node hears of its removal first. What waits for it is dropped once it has confirmed.
            bodies.forEach(body -> send(peer, type, body, peer.removed(), turn));
            peer.welcomeDue = false;
            peer.newcomer = false;
            peer.listDue = false;
            if (peer.removed() && peer.removalSaidIn == Long.MAX_VALUE) {
                peer.removalSaidIn = peer.traffic.sent() + 1;
            }
            if (all) {
                peer.repairDue = false;
                peer.newsDue = false;
                peer.listSent = true;
                peer.listSentAtNanos = turn.now();
            } else if (!peer.removed()) {
                heartbeat(peer, turn);
            }
        }
        if (peer.newsDue) {
            pages.news().forEach(body -> send(peer, MembershipMessages.PEERS, body, false, turn));
        }
        if (peer.repairDue) {
            peer.repairDue = false;
            sendDigests(peer, false, turn);
        }
        if (peer.state == PeerState.PROSPECT) {
            if (!listDue) {
                hello(peer, turn);
            }
        } else if (heartbeatAt(peer) <= turn.now()) {
            heartbeat(peer, turn);
        }
        if (clockAt(peer) <= turn.now()) {
            send(peer, MembershipMessages.CLOCK, MembershipMessages.clock(turn.wallMillis()), true, turn);
            peer.clock.told(turn.now());
        }
    }

    /** Returns the lines about this node and the peer itself, which may have to learn its own age. */
    private List<Slice> aboutUs(PeerRecord peer, MembershipTurn turn) {
        List<PeerEntry> lines = new ArrayList<>(List.of(own.entry(turn.now())));
        PeerList.tell(peer, own, turn.now(), lines);
        return MembershipMessages.pages(lines);
    }

    private void heartbeat(PeerRecord peer, MembershipTurn turn) {
        send(peer, MembershipMessages.HEARTBEAT, MembershipMessages.heartbeat(list.digest(own)), true, turn);
    }

    private void hello(PeerRecord peer, MembershipTurn turn) {
        if (peer.helloAtNanos <= turn.now()) {
            peer.helloAttempt++;
            peer.helloAtNanos = turn.now() + FailureDetector.helloPause(peer.helloAttempt);
            send(peer, MembershipMessages.HELLO, MembershipMessages.hello(list.lines()), true, turn);
        }
    }

    private static void send(PeerRecord peer, int type, Slice body, boolean urgent, MembershipTurn turn) {
        peer.heartbeatDue = false;
        peer.lastSentNanos = turn.now();
        turn.send(peer, type, body, urgent);
    }

    /** Returns when the next greeting or heartbeat is due; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNanos(PeerRecord peer) {
        if (!peer.linked || own.silent) {
            return Long.MAX_VALUE;
        }
        long greetAt = peer.state == PeerState.PROSPECT ? peer.helloAtNanos : heartbeatAt(peer);
        return Math.min(greetAt, clockAt(peer));
    }

    private long clockAt(PeerRecord peer) {
        boolean understands = peer.version(MembershipProtocol.CHANNEL) >= CLOCK_SINCE;
        return understands && peer.inTouch() && !peer.removed() ? peer.clock.dueAtNanos(timing) : Long.MAX_VALUE;
    }

    private long heartbeatAt(PeerRecord peer) {
        if (peer.heartbeatDue) {
            return Long.MIN_VALUE;
        }
        if (own.silent || peer.removed()) {
            return Long.MAX_VALUE;
        }
        return peer.lastSentNanos + FailureDetector.heartbeatPause(peer.state, timing);
    }
}
