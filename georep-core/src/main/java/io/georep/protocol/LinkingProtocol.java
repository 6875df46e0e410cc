package io.georep.protocol;

import io.georep.codec.BinReader;
import io.georep.model.NodeIdentity;

/**
 * A hosted protocol that opens links to addresses of its own choice and hears processes that are no peers, as epidemic
 * protocols do. Its turns are of the type {@link LinkingTurn}.
 *
 * <p>A link carries messages one way, from the node that opened it, on the channel of this protocol alone. The membership
 * knows nothing of it: a message over such a link is no sign of life, makes nobody a peer, and reaches no other protocol.
 * Whoever is at the other end has shown the name of this cluster in the handshake, and nothing else. A process that is a
 * peer as well may be linked in both ways.
 *
 * @param <C> the commands of the application
 */
public interface LinkingProtocol<C> extends HostedProtocol<C> {
    /** Most links it may have at one time, at least 1. The least recently used one is closed for one more. */
    int linksMax();

    /** A link is up, and what is sent over it leaves. The process at the other end hosts this protocol. */
    void onLinkUp(String address, NodeIdentity process, Turn turn);

    /**
     * A link that this protocol did not close itself could not be opened, broke, or made room for another one. It is not
     * opened again unless this protocol asks, which should have it pause before it asks for the same address.
     */
    void onLinkDown(String address, String reason, Turn turn);

    /**
     * A message came over a link that another process opened. The same holds for exceptions as with {@link #onMessage};
     * a process whose message cannot be read is refused.
     */
    void onStranger(NodeIdentity from, int type, BinReader body, Turn turn);
}
