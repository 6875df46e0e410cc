package io.georep.protocol;

import io.georep.codec.BinReader;
import io.georep.model.NodeIdentity;

/**
 * A hosted protocol that opens links to addresses of its own choice and hears processes that are not peers, as
 * epidemic protocols do. Its turns are of the type {@link LinkingTurn}.
 *
 * <p>A link carries messages in one direction, from the node that opened it, and only those of this protocol. The
 * membership knows nothing of it: a message over such a link is no sign of life, makes nobody a peer, and reaches no
 * other protocol. The process at the other end has shown the name of this cluster in the handshake, and nothing else.
 * A peer can be linked in both ways.
 *
 * @param <C> the commands of the application
 */
public interface LinkingProtocol<C> extends HostedProtocol<C> {
    /**
     * Returns how many links it may have at one time, at least 1. The node closes the least recently used link to
     * make room for another one.
     */
    int linksMax();

    /** Called when a link is up: what is sent over it leaves. The process at the other end hosts this protocol. */
    void onLinkUp(String address, NodeIdentity process, Turn turn);

    /**
     * Called when a link could not be opened, broke, or made room for another one; not when the protocol closed it.
     * The node does not open it again by itself. A protocol that asks for the same address again should pause before.
     */
    void onLinkDown(String address, String reason, Turn turn);

    /**
     * Called for a message over a link that another process opened. Exceptions mean the same as in {@link
     * #onMessage}. A process whose message cannot be read is refused.
     */
    void onStranger(NodeIdentity from, int type, BinReader body, Turn turn);
}
