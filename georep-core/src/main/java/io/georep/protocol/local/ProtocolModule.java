package io.georep.protocol.local;

import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;

/**
 * A protocol as it is brought to a node: its pure part, and what stands between that and the application. The node, its
 * driver and its shutdown know protocols only as such.
 *
 * @param <S> type of the protocol's API, by which {@link io.georep.GeoRepNode#service} finds it
 */
public interface ProtocolModule<S> {
    /** What the node announces of it: that of the {@link #protocol}. */
    ProtocolId id();

    /** The API's type. */
    Class<S> serviceType();

    /** Length of its largest message in bytes, so that a frame has room for it; 0 when those of the outbox are enough. */
    default int messageBytesMax() {
        return 0;
    }

    /** Makes the pure part. */
    HostedProtocol protocol(Peers peers);

    /** Makes the side of the application. Nothing may be asked of the node before this returns. */
    LocalSide<S> local(NodeHandle node);
}
