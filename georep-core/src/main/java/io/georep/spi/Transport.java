package io.georep.spi;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.TransportException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Best-effort frames between nodes. While a link lasts, frames to one peer arrive in order (urgent ones may overtake
 * others); when it breaks, any number of the last ones are lost. Nothing else is promised: the protocol alone owns
 * reliability. No method blocks; none but {@link #start} throws.
 *
 * <p>A link is directed: the node that sends frames opens it and keeps reopening it, with growing jittered pauses, for
 * as long as the peer is among the targets.
 */
public interface Transport extends AutoCloseable {
    /** Receives what happens; called on the transport's own threads, must not block. */
    interface Listener {
        /** The outgoing link to this peer is ready; its identity is what the peer's handshake said. */
        void linkUp(NodeIdentity peer);

        /** The outgoing link to this peer is gone; frames not yet delivered may be lost. */
        void linkDown(NodeId peer, String reason);

        /** A frame arrived from a peer, whose handshake gave this identity; the array belongs to the receiver. */
        void frame(NodeIdentity from, byte[] frame);

        /** Part of a large frame arrived: a life sign. */
        void lifeSign(NodeIdentity from);

        /** The queue of outgoing bytes to a peer passed its high mark ({@code false}) or fell below the low one. */
        void writable(NodeId peer, boolean writable);

        /** Every address that a seed stood for when it was looked up last was reached, or is this node's own. */
        default void seedReached(String seed) {}

        /** The other side refused our link (wrong cluster, wrong version, id in use …). */
        void refused(String address, String reason);
    }

    /** A frame and where it goes, as {@link #send} takes it. */
    record Outgoing(NodeId peer, byte[] frame, boolean urgent) {}

    /**
     * Binds the listening address and starts accepting links.
     *
     * @return the address peers should use, {@code host:port} (port filled in when it was 0)
     * @throws TransportException when the address cannot be bound
     */
    String start(NodeIdentity self, Listener listener);

    /**
     * Replaces the set of nodes to keep links to: known peers by id and address, and seeds whose id is unknown. A link
     * that is no longer wanted is closed once what was queued for it is sent: its last frame tells the peer why.
     */
    void targets(Map<NodeId, String> peers, Collection<String> seeds);

    /**
     * Queues a frame for a peer; drops it silently when there is no link or its queue is full. Urgent frames go before
     * others that wait.
     */
    void send(NodeId peer, byte[] frame, boolean urgent);

    /**
     * Sends these frames in order, as if one by one. A transport with threads of its own overrides this to wake them once
     * for all frames.
     */
    default void sendAll(List<Outgoing> frames) {
        for (Outgoing outgoing : frames) {
            send(outgoing.peer(), outgoing.frame(), outgoing.urgent());
        }
    }

    /**
     * Stops reading from all peers ({@code false}) or goes on: the receiver has more frames than it can handle. Called
     * on any thread, also from within {@link Listener#frame}. A transport may go on with what it has read already.
     */
    default void reading(boolean on) {}

    /**
     * Closes the link to this peer, for its frames do not seem to arrive, and opens a new one. A transport that has no use
     * for this does nothing.
     */
    default void renew(NodeId peer, String reason) {}

    /**
     * Closes both directions with a peer and refuses this identity (id and nonce, not every bearer of the id), with this
     * reason, until {@link #targets} names its address for its id.
     */
    void refuse(NodeIdentity peer, String reason);

    /** Sends what is queued as far as possible within a second, closes all links. Idempotent. */
    @Override
    void close();
}
