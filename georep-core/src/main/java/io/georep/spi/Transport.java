package io.georep.spi;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.TransportException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Carries frames between nodes, as best it can. While a link lasts, frames of one lane to one peer arrive in order. When a
 * link breaks, any number of the last frames are lost. Nothing else is promised: only the protocol provides reliability. No
 * method blocks, and only {@link #start} throws.
 *
 * <p>Each protocol sends in a lane of its own, so that none has to wait for another's bulk. Frames of different lanes may
 * overtake each other, and urgent ones may overtake all others. A frame in the lane {@link #IN_ORDER} arrives after
 * everything that was sent before it and not urgent; later frames of other lanes may overtake it. A transport that keeps
 * all frames in order keeps this contract, too.
 *
 * <p>A transport that queues frames shares bandwidth and queue between lanes. <em>Each lane has 1/n of the queue, where n is
 * the number of lanes ({@link #IN_ORDER} aside) that were used since the link came up</em>: of its two marks, and of its bound,
 * counted without what the other lanes have queued. So a lane that is alone on a link has all of it, and no lane can take
 * another's room.
 *
 * <p>A link is directed. The node that sends the frames opens the link, and opens it again and again, with growing jittered
 * pauses, as long as the peer is among the targets.
 */
public interface Transport extends AutoCloseable {
    /** Lane whose frames come after everything that was sent before them, in whichever lane, and is not urgent. */
    int IN_ORDER = 0;

    /** Is told what happens. Called on the transport's own threads; must not block. */
    interface Listener {
        /** The outgoing link to this peer is ready. The identity is the one that the peer gave in the handshake. */
        void linkUp(NodeIdentity peer);

        /** The outgoing link to this peer is gone. Frames that were not delivered yet may be lost. */
        void linkDown(NodeId peer, String reason);

        /**
         * A frame arrived from a peer that gave this identity in the handshake. The array belongs to the receiver.
         *
         * @param urgent as it was sent; a transport that keeps all frames in order may say false
         */
        void frame(NodeIdentity from, byte[] frame, boolean urgent);

        /** A part of a large frame arrived, which is a life sign. */
        void lifeSign(NodeIdentity from);

        /**
         * A lane's queue of outgoing bytes to a peer passed its high mark ({@code false}) or fell below the low one. All
         * lanes of a link that comes up are writable.
         */
        void writable(NodeId peer, int lane, boolean writable);

        /** Every address that the last look-up of this seed gave was reached, or is this node's own. */
        default void seedReached(String seed) {}

        /** The other side refused the link, for example because of a wrong cluster or version, or an id in use. */
        void refused(String address, String reason);

        /** A link that {@link Transport#openLink} asked for is ready. The identity is the one given in the handshake. */
        default void linkOpened(long link, NodeIdentity process) {}

        /** A link that {@link Transport#openLink} asked for could not be opened, or is gone. It is not opened again. */
        default void linkEnded(long link, String reason) {}

        /** The queue of such a link passed its high mark ({@code false}) or fell below the low one. One that opens is writable. */
        default void linkWritable(long link, boolean writable) {}

        /**
         * A frame arrived over a link that a process opened with {@link Transport#openLink}. The array belongs to the receiver.
         *
         * @param channel the one the link was opened for
         */
        default void strangerFrame(NodeIdentity from, int channel, byte[] frame) {}

        /** All threads of the transport have come round after {@link Transport#goRound} was called with this stamp. */
        default void cameRound(long stamp) {}
    }

    /**
     * A frame and where it goes.
     *
     * @param urgent whether it goes before all others that wait, whatever its lane
     * @param lane 0 ({@link #IN_ORDER}) to 255
     */
    record Outgoing(NodeId peer, byte[] frame, boolean urgent, int lane) {}

    /**
     * Binds the listening address and starts accepting links.
     *
     * @return the {@code host:port} that peers should use; if the port was 0, it is filled in
     * @throws TransportException if the address cannot be bound
     */
    String start(NodeIdentity self, Listener listener);

    /**
     * Replaces the set of nodes to which links are kept: known peers by id and address, and seeds whose id is unknown. A link
     * that is no longer wanted is closed when its queue is sent, because its last frame tells the peer why.
     */
    void targets(Map<NodeId, String> peers, Collection<String> seeds);

    /** Queues a frame for a peer; drops it silently when there is no link or its lane's queue is full. */
    void send(Outgoing frame);

    /** Queues a frame in the lane {@link #IN_ORDER}. */
    default void send(NodeId peer, byte[] frame, boolean urgent) {
        send(new Outgoing(peer, frame, urgent, IN_ORDER));
    }

    /**
     * Sends these frames in order, as if one by one. A transport that has threads of its own overrides this, to wake them only
     * once for all frames.
     */
    default void sendAll(List<Outgoing> frames) {
        for (Outgoing outgoing : frames) {
            send(outgoing);
        }
    }

    /**
     * Stops reading from all peers ({@code false}) because the receiver has more frames than it can handle, or goes on reading.
     * Called on any thread, also from within {@link Listener#frame}. A transport may still deliver what it has read already.
     */
    default void reading(boolean on) {}

    /**
     * Closes the link to this peer, because frames do not seem to arrive over it, and opens a new one. A transport that does not
     * need this does nothing.
     */
    default void renew(NodeId peer, String reason) {}

    /**
     * Closes the links in both directions and refuses this identity, with this reason, until {@link #targets} names its address
     * for its id, or {@link #pardon}. Only this process is refused (id and nonce), not every process with this id.
     */
    void refuse(NodeIdentity peer, String reason);

    /** Refuses this process no longer. A transport whose {@link #refuse} does nothing need not do anything here either. */
    default void pardon(NodeIdentity peer) {}

    /**
     * Returns whether this transport opens links beyond the targets. The process at the other end of such a link is no peer:
     * its link, its frames and those to it are told apart from those of targets.
     */
    default boolean opensLinks() {
        return false;
    }

    /**
     * Opens a link to the process that answers at this address, in one attempt, beside any other link to the same process.
     * Ends in {@link Listener#linkOpened} or {@link Listener#linkEnded}, if it is not closed before.
     *
     * @param link number that no other link had before
     * @param channel the protocol it is for, which all its frames belong to
     */
    default void openLink(long link, int channel, String address) {}

    /** Closes such a link, when its queue is sent. Its end need not be told. */
    default void closeLink(long link) {}

    /** Queues a frame for such a link, of 64 KiB at most; drops it silently when the link is not up or its queue is full. */
    default void sendOver(long link, byte[] frame) {}

    /**
     * Returns whether the certificate with which this node was started says that the node may not decide over others. Asked once,
     * after {@link #start}. The identities that a transport tells its listener say the same of the other nodes
     * ({@link NodeIdentity#limited}).
     */
    default boolean limited() {
        return false;
    }

    /**
     * Returns how many connections, in either direction, ended since the start because one side had not proved to the other who
     * it is. May be called at any time.
     */
    default long distrusted() {
        return 0;
    }

    /**
     * Asks each thread that reads and writes to come round once more: to write what was sent before, and to read what has arrived.
     * When all have, {@link Listener#cameRound} is told, after what they have read. While one of them stands still, it is not.
     *
     * @param stamp for the listener, any number
     * @return false if this transport has no such threads, so that nothing has to be awaited; then nothing is told
     */
    default boolean goRound(long stamp) {
        return false;
    }

    /** Sends what is queued, as far as that is possible within a second, and closes all links. Idempotent. */
    @Override
    void close();
}
