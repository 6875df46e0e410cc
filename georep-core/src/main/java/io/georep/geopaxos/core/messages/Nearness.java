package io.georep.geopaxos.core.messages;

import io.georep.model.NodeId;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;

/** How near other nodes are to this one. */
@FunctionalInterface
public interface Nearness {
    /** The round trip was not measured. */
    long UNKNOWN = Long.MAX_VALUE;

    /** Returns the round-trip time to a node in nanoseconds: 0 for this one, {@link #UNKNOWN} if it was not measured. */
    long nanosTo(NodeId node);

    /** By the shortest round trips of this boot: these do not change with the load. */
    static Nearness measured(Peers peers) {
        return node -> {
            if (node.equals(peers.self().id())) {
                return 0;
            }
            Peer peer = peers.find(node);
            return peer == null ? UNKNOWN : peer.rttMinNanos();
        };
    }
}
