package io.georep.protocol.membership;

import io.georep.model.NodeIdentity;

/** What becomes due for a peer as time passes: silence, forgetting (M24, M26), links that carry nothing (M27). */
final class Upkeep {
    private final Timing timing;
    private final PeerList list;
    private final PeerAutomaton automaton;
    private final Forgetting forgetting;

    Upkeep(Timing timing, PeerList list, PeerAutomaton automaton, Forgetting forgetting) {
        this.timing = timing;
        this.list = list;
        this.automaton = automaton;
        this.forgetting = forgetting;
    }

    /** Does what is due for a peer whose alarm went off. */
    void due(PeerRecord peer, MembershipTurn turn) {
        list.touch(peer);
        PeerDeadlines.tick(peer, automaton, timing, turn);
        forgetting.onTimer(peer, turn);
        renewLink(peer, turn);
    }

    /**
     * Renews a link over which frames are sent and nothing is confirmed: its path may be dead, and TCP on this side would
     * notice that last.
     */
    private void renewLink(PeerRecord peer, MembershipTurn turn) {
        if (peer.linkDeadAtNanos() <= turn.now()) {
            peer.linkedAtNanos = turn.now();
            turn.renewLink(peer, "nothing sent over it was confirmed within T_s + T_x");
        }
    }

    /** Admits the process that was refused while another one with its name was alive. That one is given up now (gap G13). */
    void admitRival(PeerRecord peer) {
        NodeIdentity rival = peer.rival;
        if (rival != null && !peer.alive()) {
            peer.rival = null;
            peer.dialAddress = rival.address();
            list.changed(peer);
        }
    }
}
