package io.georep.testing;

import io.georep.model.NodeId;
import io.georep.model.TransportException;
import io.georep.spi.Transport;
import io.georep.spi.TransportFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A network inside one JVM. Frames arrive at once and in order; links between two nodes can be cut in one or both
 * directions and healed. Thread-safe.
 */
public final class LocalNetwork implements TransportFactory {
    private final Map<String, LocalTransport> listening = new HashMap<>();
    private final Set<List<NodeId>> cuts = new HashSet<>();
    private int nextPort = 1;

    /** Returns this network as a factory, for {@link io.georep.NodeBuilder#transport}. */
    public TransportFactory transports() {
        return this;
    }

    @Override
    public Transport create(TransportFactory.Settings settings) {
        return new LocalTransport(this, settings.cluster());
    }

    /** Loses everything between two nodes, both ways. */
    public void cut(NodeId one, NodeId other) {
        cutOneWay(one, other);
        cutOneWay(other, one);
    }

    /** Loses what the first node sends to the second. */
    public synchronized void cutOneWay(NodeId from, NodeId to) {
        cuts.add(List.of(from, to));
        refresh();
    }

    /** Cuts a node off from all others that are running now. */
    public synchronized void isolate(NodeId node) {
        for (LocalTransport transport : listening.values()) {
            if (!transport.id().equals(node)) {
                cuts.add(List.of(node, transport.id()));
                cuts.add(List.of(transport.id(), node));
            }
        }
        refresh();
    }

    /** Repairs all links. */
    public synchronized void heal() {
        cuts.clear();
        refresh();
    }

    synchronized String listen(LocalTransport transport, String wanted) {
        int colon = wanted.lastIndexOf(':');
        String address = wanted.endsWith(":0") ? wanted.substring(0, colon + 1) + nextPort++ : wanted;
        if (listening.putIfAbsent(address, transport) != null) {
            throw new TransportException(
                    "address " + address + " is in use on the local network: choose another port",
                    new IOException("in use"));
        }
        refresh();
        return address;
    }

    synchronized void close(LocalTransport transport) {
        listening.values().remove(transport);
        refresh();
    }

    synchronized void changed() {
        refresh();
    }

    /**
     * Opens and closes links until they fit the targets and the cuts. Listeners only queue, so the lock may be held.
     */
    private void refresh() {
        for (LocalTransport from : new ArrayList<>(listening.values())) {
            from.relink(address -> find(from, address));
            from.endLost(address -> find(from, address));
        }
    }

    /** Returns whom a node reaches at this address; null if nobody. Called under the lock. */
    @Nullable
    LocalTransport find(LocalTransport from, String address) {
        LocalTransport to = listening.get(address);
        return to == null || to == from || !to.cluster().equals(from.cluster()) || isCut(from, to) ? null : to;
    }

    private boolean isCut(LocalTransport from, LocalTransport to) {
        return cuts.contains(List.of(from.id(), to.id()));
    }
}
