package io.georep.outbox.core.context;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import java.util.HashMap;
import java.util.Map;

/**
 * Which nodes may adopt: this one, as its application says (6.6.3), and peers, as they say themselves (6.12.5). A prohibition
 * ends with the process that told it.
 *
 * <pre>
 * ADOPTION = u8 0 forbidden, 1 allowed
 * </pre>
 */
public final class AdoptionRights {
    private final Peers peers;
    private boolean allowed = true;

    /** Whether somebody may have heard in this boot that this node may not. */
    private boolean everForbidden;

    /** Incarnations of the processes that said that they may not. */
    private final Map<NodeId, Long> forbidden = new HashMap<>();

    AdoptionRights(Peers peers) {
        this.peers = peers;
    }

    /** Returns whether the application lets this node adopt. */
    public boolean allowed() {
        return allowed;
    }

    /** Sets whether this node may adopt, and tells the peers, which must know before they hand anything over. */
    public void allow(boolean nowAllowed, Turn turn) {
        if (allowed != nowAllowed) {
            allowed = nowAllowed;
            everForbidden = true;
            peers.linked().forEach(peer -> tell(peer, turn));
        }
    }

    /** Tells the peer again: the link was down, and what was sent may be lost. */
    public void peerReachable(Peer peer, Turn turn) {
        if (everForbidden) {
            tell(peer, turn);
        }
    }

    private void tell(Peer peer, Turn turn) {
        turn.send(peer, OutboxMessages.ADOPTION, body(allowed), true);
    }

    public static Slice body(boolean allowed) {
        return new BinWriter(1).u8(allowed ? 1 : 0).toSlice();
    }

    /** ADOPTION; returns whether the peer has made way for others. */
    public boolean told(Peer from, boolean mayAdopt) {
        if (mayAdopt) {
            forbidden.remove(from.id());
            return false;
        }
        Long before = forbidden.put(from.id(), from.incarnation());
        return before == null || before != from.incarnation();
    }

    /**
     * Reads a message to its end.
     *
     * @throws MalformedException when it is neither of the two
     */
    public static boolean read(BinReader in) {
        int code = in.u8();
        if (code > 1 || in.hasMore()) {
            throw new MalformedException("right to adopt " + code + " with " + in.remaining() + " bytes behind it");
        }
        return code == 1;
    }

    /** Returns whether this peer adopts, and entries may be handed over to it, as far as is known here. */
    public boolean mayAdopt(Peer peer) {
        Long incarnation = forbidden.get(peer.id());
        return incarnation == null || incarnation != peer.incarnation();
    }

    /** Forgets what this peer said. */
    public void forget(NodeId peer) {
        forbidden.remove(peer);
    }
}
