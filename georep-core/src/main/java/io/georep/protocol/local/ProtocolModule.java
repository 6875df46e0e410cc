package io.georep.protocol.local;

import io.georep.model.ConfigurationException;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;

/**
 * Adds a protocol to a node: its pure part, and the part that stands between it and the application. The node, its
 * driver and its shutdown know nothing else of protocols.
 *
 * @param <S> the API of the protocol; {@link io.georep.GeoRepNode#service} finds it by this type
 * @param <C> the commands that the local side gives to the protocol
 * @param <E> the events that the protocol tells to the local side
 */
public interface ProtocolModule<S, C, E> {
    /** Returns what the node announces about the protocol. */
    ProtocolId id();

    /** Returns the type of the API. */
    Class<S> serviceType();

    /**
     * Returns the length of the protocol's largest message in bytes, so that a frame has room for it; 0 if the room for
     * the outbox is enough.
     */
    default int messageBytesMax() {
        return 0;
    }

    /**
     * Checks, before anything is started, that the protocol can work in this place.
     *
     * @throws ConfigurationException if it cannot
     */
    default void check(Place place) {}

    /**
     * Makes both parts for one start of a node. A module may be started more than once.
     *
     * @param peers the peers of the node, which does not know any yet
     * @param node must not be asked for anything before this method has returned
     */
    Parts<S, C, E> start(Place place, Peers peers, NodeHandle<C> node);

    /**
     * The two parts that run on one node.
     *
     * @param protocol the pure part
     * @param local the side of the application
     */
    record Parts<S, C, E>(HostedProtocol<C> protocol, LocalSide<S, C, E> local) {}
}
