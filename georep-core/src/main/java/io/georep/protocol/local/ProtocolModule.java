package io.georep.protocol.local;

import io.georep.model.ConfigurationException;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;

/**
 * A protocol as it is brought to a node: its pure part, and what stands between that and the application. The node, its
 * driver and its shutdown know protocols only as such.
 *
 * @param <S> the protocol's API, by whose type {@link io.georep.GeoRepNode#service} finds it
 * @param <C> the commands that the local side gives to the protocol
 * @param <E> the events that the protocol tells to the local side
 */
public interface ProtocolModule<S, C, E> {
    /** What the node announces of it: that of the protocol. */
    ProtocolId id();

    /** The API's type. */
    Class<S> serviceType();

    /** Length of its largest message in bytes, so that a frame has room for it; 0 when those of the outbox are enough. */
    default int messageBytesMax() {
        return 0;
    }

    /**
     * Checks, before anything is started, that it can work there.
     *
     * @throws ConfigurationException when it cannot
     */
    default void check(Place place) {}

    /**
     * Makes both parts for one start of a node. A module may be started more than once.
     *
     * @param peers those of the node, which knows nobody yet
     * @param node may not be asked for anything before this returns
     */
    Parts<S, C, E> start(Place place, Peers peers, NodeHandle<C> node);

    /**
     * What runs on one node.
     *
     * @param protocol the pure part
     * @param local the side of the application
     */
    record Parts<S, C, E>(HostedProtocol<C> protocol, LocalSide<S, C, E> local) {}
}
