package io.georep.protocol.membership;

import io.georep.model.NodeIdentity;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a process that uses the id of a peer is that peer. It checks in this order: a second process beside a
 * living one (gap G13), a removal by the operator, a boot that is older than what is known (rule p11).
 */
final class HandshakeAdmission {
    /** What to do with a frame or link. */
    enum Verdict {
        /** It is the peer, in its present boot or a newer one. */
        ACCEPT,
        /** It is an older boot, a second use of a boot number, or was removed unheard: drop, and answer WELCOME so that it learns. */
        STALE,
        /** Two processes use one id: refuse the newcomer. */
        CONFLICT,
        /** The operator removed it, and it was told. */
        REMOVED
    }

    private HandshakeAdmission() {}

    /**
     * Judges an identity.
     *
     * @param known what is known of this id, null for a stranger
     * @param incarnation of the frame, which may be above that of the handshake
     */
    static Verdict judge(@Nullable PeerRecord known, NodeIdentity identity, long incarnation) {
        if (known == null) {
            return Verdict.ACCEPT;
        }
        boolean sameProcess = identity.nonce() == known.nonce;
        if (known.alive() && !sameProcess && !identity.address().equals(known.address)) {
            return Verdict.CONFLICT;
        }
        if (incarnation < known.removedBelow) {
            // A process that cannot know of it is told first: one that was out of reach, or a new one with an older
            // store.
            boolean knows = known.removalTold && sameProcess;
            return knows ? Verdict.REMOVED : Verdict.STALE;
        }
        if (incarnation < known.incarnation) {
            return Verdict.STALE;
        }
        boolean numberUsedTwice = incarnation == known.incarnation && known.nonce != 0 && !sameProcess;
        return numberUsedTwice ? Verdict.STALE : Verdict.ACCEPT;
    }

    /** Returns what both operators are told about two living processes with one id. */
    static String conflictText(NodeIdentity newcomer, String knownAddress) {
        return "node id '" + newcomer.id() + "' is in use at " + knownAddress + ", so the process at "
                + newcomer.address() + " is refused: stop one of them and give it a node id and a data directory of its"
                + " own; if it is the same node after a move, it is let in as soon as the old process is given up";
    }

    /** Returns what a removed node is told. */
    static String removedText(NodeIdentity removed) {
        return "node '" + removed.id() + "' at " + removed.address()
                + " was removed by an operator: restart it to let it join again, or shut it down";
    }
}
