package io.georep.runtime;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;
import java.util.Collection;
import java.util.Map;

/** A transport over which nothing goes; a test overrides what it wants to see. */
class IdleTransport implements Transport {
    @Override
    public String start(NodeIdentity self, Listener listener) {
        return self.address();
    }

    @Override
    public void targets(Map<NodeId, String> peers, Collection<String> seeds) {}

    @Override
    public void send(Outgoing frame) {}

    @Override
    public void refuse(NodeIdentity peer, String reason) {}

    @Override
    public void close() {}
}
