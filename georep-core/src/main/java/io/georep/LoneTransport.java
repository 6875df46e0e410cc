package io.georep;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;
import java.util.Collection;
import java.util.Map;

/** The transport of a node that does not listen. Nobody hears it. */
final class LoneTransport implements Transport {
    /** Stands for an address where there is none. */
    static final String ADDRESS = "localhost:0";

    @Override
    public String start(NodeIdentity self, Listener listener) {
        return ADDRESS;
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
