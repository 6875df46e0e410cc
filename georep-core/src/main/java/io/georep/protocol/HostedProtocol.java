package io.georep.protocol;

import io.georep.codec.BinReader;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.StoreState;
import io.georep.spi.EntryStore;

/**
 * A protocol run by the driver, as a plain object driven by one thread: it reads no clock, starts no thread, does no
 * I/O, and depends on no iteration order of hash tables. All effects go through the {@link Turn}.
 *
 * <p>Life: {@link #boot} once, then any number of events in any order; after every turn's events {@link #endOfTurn}.
 * A message is read to its end before anything is changed for it. An exception from {@link #onMessage} of type {@link
 * io.georep.codec.MalformedException}, or any but {@link BrokenInvariantException} before the first effect is asked for,
 * closes that link; any other exception stops the node.
 *
 * @param <C> the commands of the application
 */
public interface HostedProtocol<C> {
    /** What the node announces of it; the same throughout a boot. */
    ProtocolId id();

    /** Its number: {@link ProtocolId#channel}. */
    default int channel() {
        return id().channel();
    }

    /**
     * How durable what this protocol waits for has to be, when that is less than the node's level: a batch of the store in
     * which nobody asked for more is not synced. The same throughout a boot.
     */
    default Durability durability() {
        return Durability.FSYNC;
    }

    /** Whether messages of this type belong to its version; {@link #onMessage} gets no others. Called for each message. */
    boolean knows(int type);

    /** Loads the state of the previous boot; reads are synchronous here. */
    void boot(EntryStore store, Turn turn);

    /** A message from a peer that membership accepted as alive. */
    void onMessage(Peer from, int type, BinReader body, Turn turn);

    /** A message in words, for people who look for a fault: without payloads, which are nobody's business. */
    default String describe(int type, BinReader body) {
        return "type " + type + ", " + body.remaining() + " bytes";
    }

    /** A command, an event or a pair of the store in words, without payloads. */
    default String describe(Object what) {
        return what.getClass().getSimpleName();
    }

    /** A peer changed its state, or was drained or removed by an operator (then {@code before} may equal its state). */
    default void onPeerChanged(Peer peer, PeerState before, Turn turn) {}

    /** A peer was greeted after a link or boot: anything it may have missed should be sent again (WELCOME). */
    default void onPeerReachable(Peer peer, Turn turn) {}

    /**
     * Whether what is kept here names this node, so that its name must not be forgotten although nobody heard of it for
     * long. Asked seldom; may cost a walk over everything.
     */
    default boolean needs(NodeId id) {
        return false;
    }

    /**
     * Peers know a later life of this node than its store does (older disk image, or a new store under an old name, gap
     * G12). The incarnation was raised in this turn's batch and {@link Peers#self()} answers the new one; no frame
     * leaves until the batch is durable, then {@link #onPeerReachable} is called for every peer in reach.
     */
    default void onStaleStore(Turn turn) {}

    /** A name is forgotten: nothing is owed to that node, nor expected of it. Whatever is kept by its name ends. */
    default void onPeerForgotten(NodeId id) {}

    /** A command of the application. */
    default void onCommand(C command, Turn turn) {}

    /** The store began or ceased to take new entries; ready when nothing was said. */
    default void onStoreState(StoreState state, Turn turn) {}

    /** The time of {@link #nextDeadlineNanos} has come. */
    default void onTimer(Turn turn) {}

    /** When {@link #onTimer} is wanted next; {@link Long#MAX_VALUE} for never. */
    default long nextDeadlineNanos() {
        return Long.MAX_VALUE;
    }

    /** All events of this turn were handled: put together what was gathered. */
    default void endOfTurn(Turn turn) {}
}
