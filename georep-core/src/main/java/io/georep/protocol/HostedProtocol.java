package io.georep.protocol;

import io.georep.codec.BinReader;
import io.georep.model.BrokenInvariantException;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.StoreState;
import io.georep.spi.EntryStore;

/**
 * A protocol that a node hosts. It is a plain object, and one thread calls it: it reads no clock, starts no thread,
 * does no I/O, and depends on no iteration order of hash tables. All its effects go through the {@link Turn}.
 *
 * <p>The driver calls {@link #boot} once, then the methods for events, any number of times in any order, and {@link
 * #endOfTurn} after the events of each turn. A protocol reads a message to its end before it changes anything because
 * of it. If {@link #onMessage} throws a {@link io.georep.codec.MalformedException}, or throws anything but a {@link
 * BrokenInvariantException} before it has asked for an effect, the node closes that link. Any other exception stops
 * the node.
 *
 * @param <C> the commands of the application
 */
public interface HostedProtocol<C> {
    /** Returns what the node announces of this protocol. It is the same throughout a boot. */
    ProtocolId id();

    /** Returns the number of this protocol: {@link ProtocolId#channel}. */
    default int channel() {
        return id().channel();
    }

    /**
     * Returns how durable a batch must be that this protocol waits for; the node's level counts if it is weaker. The
     * store does not sync a batch for which nobody asks for more. The result is the same throughout a boot.
     */
    default Durability durability() {
        return Durability.FSYNC;
    }

    /**
     * Returns whether this version of the protocol has messages of this type. The node drops all others. Called for
     * each message.
     */
    boolean knows(int type);

    /** Loads the state of the previous boot. Here, reads of the store are synchronous. */
    void boot(EntryStore store, Turn turn);

    /** Called for a message of a peer that the membership considers alive. */
    void onMessage(Peer from, int type, BinReader body, Turn turn);

    /**
     * Returns a message in words, for people who look for a fault. Leaves out payloads, which must not be in a log.
     */
    default String describe(int type, BinReader body) {
        return "type " + type + ", " + body.remaining() + " bytes";
    }

    /** Returns a command, an event or a stored pair in words, without payloads. */
    default String describe(Object what) {
        return what.getClass().getSimpleName();
    }

    /**
     * Called when a peer has changed its state, and when an operator has drained or removed it; then {@code before}
     * may be its present state.
     */
    default void onPeerChanged(Peer peer, PeerState before, Turn turn) {}

    /** Called when a peer has been greeted after a new link or a boot. Send again what it may have missed. */
    default void onPeerReachable(Peer peer, Turn turn) {}

    /**
     * Returns whether this protocol keeps something under the name of this node. Then the membership does not forget
     * the name, even if nobody has heard of that node for long. Asked seldom, so it may walk over everything.
     */
    default boolean needs(NodeId id) {
        return false;
    }

    /**
     * Called when peers remember a later life of this node than its store does, because the store is an older image
     * of the disk, or a new one under an old name. This turn's batch raises the incarnation, and {@link Peers#self()}
     * returns the new one. No frame leaves until the batch is durable; then {@link #onPeerReachable} is called for
     * every peer in reach.
     *
     * @param isCertain whether a peer with a full certificate says so; one with a limited certificate may be lying
     */
    default void onStaleStore(boolean isCertain, Turn turn) {}

    /**
     * Called when the membership forgets a name: nobody owes that node anything, or expects anything of it. Drop what
     * is kept under its name.
     */
    default void onPeerForgotten(NodeId id) {}

    /** Called for a command of the application. */
    default void onCommand(C command, Turn turn) {}

    /** Called when the store begins or ceases to take new entries. It takes them until this says otherwise. */
    default void onStoreState(StoreState state, Turn turn) {}

    /** Called when the time of {@link #nextDeadlineNanos} has come. */
    default void onTimer(Turn turn) {}

    /** Returns when {@link #onTimer} is to be called next; {@link Long#MAX_VALUE} for never. */
    default long nextDeadlineNanos() {
        return Long.MAX_VALUE;
    }

    /** Called after all events of a turn. Puts together what the events have gathered. */
    default void endOfTurn(Turn turn) {}
}
