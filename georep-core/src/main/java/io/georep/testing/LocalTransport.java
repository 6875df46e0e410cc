package io.georep.testing;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One node's end of a {@link LocalNetwork}. Links are changed under the network's lock, frames need none. */
final class LocalTransport implements Transport {
    private final LocalNetwork network;
    private final String cluster;
    private final ConcurrentMap<NodeId, LocalTransport> links = new ConcurrentHashMap<>();
    private final Map<Long, ChosenLink> chosen = new ConcurrentHashMap<>();
    private final Set<NodeIdentity> refused = ConcurrentHashMap.newKeySet();
    private volatile @Nullable NodeIdentity self;
    private volatile @Nullable Listener listener;
    private Map<NodeId, String> peers = Map.of();
    private Collection<String> seeds = Set.of();

    LocalTransport(LocalNetwork network, String cluster) {
        this.network = network;
        this.cluster = cluster;
    }

    String cluster() {
        return cluster;
    }

    NodeId id() {
        return Objects.requireNonNull(self, "started").id();
    }

    @Override
    public String start(NodeIdentity identity, Listener target) {
        self = identity;
        listener = target;
        return network.listen(this, identity.address());
    }

    @Override
    public void targets(Map<NodeId, String> newPeers, Collection<String> newSeeds) {
        synchronized (network) {
            peers = new TreeMap<>(newPeers);
            seeds = new ArrayList<>(newSeeds);
            refused.removeIf(peer -> peer.address().equals(newPeers.get(peer.id())));
            network.changed();
        }
    }

    /** Called under the network's lock: links to what the lookup returns for the target addresses, and nothing else. */
    void relink(Function<String, @Nullable LocalTransport> lookup) {
        Listener told = Objects.requireNonNull(listener);
        Set<String> addresses = new LinkedHashSet<>(peers.values());
        addresses.addAll(seeds);
        Map<NodeId, LocalTransport> wanted = new TreeMap<>();
        for (String address : addresses) {
            LocalTransport to = lookup.apply(address);
            if (to != null && !to.refuses(this) && !refuses(to)) {
                wanted.put(to.id(), to);
            }
        }
        links.forEach((peer, to) -> {
            if (wanted.get(peer) != to) {
                links.remove(peer);
                told.linkDown(peer, "cut");
            }
        });
        wanted.forEach((peer, to) -> {
            if (links.putIfAbsent(peer, to) == null) {
                told.linkUp(Objects.requireNonNull(to.self));
            }
        });
    }

    /** Called under the network's lock: ends the links that lead nowhere, or to another process than before. */
    void endLost(Function<String, @Nullable LocalTransport> lookup) {
        Listener told = Objects.requireNonNull(listener);
        chosen.forEach((link, one) -> {
            LocalTransport to = lookup.apply(one.address);
            if (to != one.to || to.refuses(this)) {
                chosen.remove(link);
                told.linkEnded(link, "cut");
            }
        });
    }

    /** A link of a protocol's own choice. */
    private record ChosenLink(LocalTransport to, int channel, String address) {}

    @Override
    public boolean opensLinks() {
        return true;
    }

    @Override
    public void openLink(long link, int channel, String address) {
        synchronized (network) {
            Listener told = Objects.requireNonNull(listener);
            LocalTransport to = network.find(this, address);
            if (to == null || to.refuses(this) || refuses(to)) {
                told.linkEnded(link, "no node that is in reach answers at " + address);
            } else {
                chosen.put(link, new ChosenLink(to, channel, address));
                told.linkOpened(link, Objects.requireNonNull(to.self));
            }
        }
    }

    @Override
    public void closeLink(long link) {
        chosen.remove(link);
    }

    @Override
    public void sendOver(long link, byte[] frame) {
        ChosenLink one = chosen.get(link);
        NodeIdentity from = self;
        Listener receiver = one == null ? null : one.to.listener;
        if (one != null && receiver != null && from != null) {
            receiver.strangerFrame(from, one.channel, frame);
        }
    }

    private boolean refuses(LocalTransport other) {
        return refused.contains(Objects.requireNonNull(other.self));
    }

    @Override
    public void send(Outgoing frame) {
        LocalTransport to = links.get(frame.peer());
        NodeIdentity from = self;
        Listener receiver = to == null ? null : to.listener;
        if (receiver != null && from != null) {
            receiver.frame(from, frame.frame(), frame.urgent());
        }
    }

    @Override
    public void refuse(NodeIdentity peer, String reason) {
        synchronized (network) {
            refused.add(peer);
            network.changed();
        }
    }

    @Override
    public void pardon(NodeIdentity peer) {
        synchronized (network) {
            refused.remove(peer);
            network.changed();
        }
    }

    @Override
    public void close() {
        synchronized (network) {
            network.close(this);
            links.clear();
            chosen.clear();
        }
    }
}
