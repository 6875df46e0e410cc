package io.georep.netty;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.TransportException;
import io.georep.netty.internal.LinkLayer;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.spi.Transport;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The transport between nodes over TCP. Every node dials its peers, and the peers dial back. A connection carries frames from
 * the node that dialled it. Frames over 64 KiB are cut up, and urgent frames go in between the pieces.
 *
 * <p>All methods may be called from any thread. Only {@link #start} and {@link #close} wait. The listener is called on the
 * transport's threads. A link that comes up is writable, and the listener is not told so separately. When the transport is
 * closed, the listener is told that each link is down; after {@link #close} has returned, it is told nothing. What arrives is
 * handed to the listener at once. A listener whose consumer is slow says so with {@link #reading}, and TCP then slows the peers
 * down.
 */
public final class NettyTransport implements Transport {
    /**
     * What happened since the start, and what holds now. Bytes are those of the link layer: they include the headers of chunks,
     * but not TCP and IP.
     *
     * @param framesOut frames written
     * @param bytesOut bytes written
     * @param framesIn frames delivered to the listener
     * @param bytesIn bytes received after the handshakes
     * @param linksOut outgoing links that are up
     * @param linksIn incoming links that are up
     * @param refusalsSent incoming connections that were refused, strangers included
     * @param refusalsReceived handshakes that peers refused
     * @param distrusted connections in either direction that ended because one side had not proved to the other who it is
     * @param dialsFailed attempts to dial that reached nobody, or nobody that speaks the protocol
     * @param framesDropped frames dropped because there was no link, because its queue was full, or because they were too large
     * @param malformed incoming links that were closed because damaged bytes came over them
     */
    public record Counters(
            long framesOut,
            long bytesOut,
            long framesIn,
            long bytesIn,
            long linksOut,
            long linksIn,
            long refusalsSent,
            long refusalsReceived,
            long distrusted,
            long dialsFailed,
            long framesDropped,
            long malformed) {}

    private final NettyTransportConfig config;
    private final LinkCounters counters = new LinkCounters();
    private final Object lifeCycle = new Object();
    private volatile @Nullable LinkLayer layer;
    private Map<NodeId, String> earlyPeers = Map.of();
    private Collection<String> earlySeeds = List.of();
    private boolean closed;

    public NettyTransport(NettyTransportConfig config) {
        this.config = config;
    }

    /** Creates a transport with default settings. */
    public NettyTransport() {
        this(NettyTransportConfig.defaults());
    }

    /**
     * {@inheritDoc}
     *
     * @throws ConfigurationException if the address is not {@code host:port}, if the address or the site is too long, or if
     *     other machines may reach the address and nothing keeps strangers out
     * @throws TransportException if the address cannot be bound; the message names the address, the cause and what to do
     * @throws IllegalStateException if the transport was started or closed before
     */
    @Override
    public String start(NodeIdentity self, Listener listener) {
        synchronized (lifeCycle) {
            if (layer != null || closed) {
                throw new IllegalStateException("a transport starts once; make a new one");
            }
            config.requireProtection(self.address());
            LinkLayer started = LinkLayer.start(self, config.toSettings(), counters, listener);
            started.targets(earlyPeers, earlySeeds);
            layer = started;
            return started.address();
        }
    }

    @Override
    public void targets(Map<NodeId, String> peers, Collection<String> seeds) {
        Map<NodeId, String> peersNow = Map.copyOf(peers);
        List<String> seedsNow = List.copyOf(seeds);
        synchronized (lifeCycle) {
            LinkLayer current = layer;
            if (current == null) {
                earlyPeers = peersNow;
                earlySeeds = seedsNow;
            } else {
                current.targets(peersNow, seedsNow);
            }
        }
    }

    @Override
    public void send(Outgoing frame) {
        LinkLayer current = layer;
        if (current == null) {
            counters.framesDropped.increment();
        } else {
            current.send(frame);
        }
    }

    @Override
    public void sendAll(List<Outgoing> frames) {
        LinkLayer current = layer;
        if (current == null) {
            counters.framesDropped.add(frames.size());
        } else {
            current.sendAll(frames);
        }
    }

    @Override
    public void reading(boolean on) {
        LinkLayer current = layer;
        if (current != null) {
            current.reading(on);
        }
    }

    @Override
    public void renew(NodeId peer, String reason) {
        LinkLayer current = layer;
        if (current != null) {
            current.renew(peer, reason);
        }
    }

    @Override
    public void refuse(NodeIdentity peer, String reason) {
        LinkLayer current = layer;
        if (current != null) {
            current.refuse(peer, reason);
        }
    }

    @Override
    public void pardon(NodeIdentity peer) {
        LinkLayer current = layer;
        if (current != null) {
            current.pardon(peer);
        }
    }

    @Override
    public boolean opensLinks() {
        return true;
    }

    @Override
    public void openLink(long link, int channel, String address) {
        LinkLayer current = layer;
        if (current != null) {
            current.openLink(link, channel, address);
        }
    }

    @Override
    public void closeLink(long link) {
        LinkLayer current = layer;
        if (current != null) {
            current.closeLink(link);
        }
    }

    @Override
    public void sendOver(long link, byte[] frame) {
        LinkLayer current = layer;
        if (current != null) {
            current.sendOver(link, frame);
        }
    }

    @Override
    public boolean goRound(long stamp) {
        LinkLayer current = layer;
        if (current != null) {
            current.goRound(stamp);
        }
        return current != null;
    }

    @Override
    public boolean limited() {
        LinkLayer current = layer;
        return current != null && current.limited();
    }

    @Override
    public long distrusted() {
        return counters.distrusted.sum();
    }

    /** Returns the statistics. The numbers are not all taken at the same instant. */
    public Counters counters() {
        return new Counters(
                counters.framesOut.sum(),
                counters.bytesOut.sum(),
                counters.framesIn.sum(),
                counters.bytesIn.sum(),
                counters.linksOut.sum(),
                counters.linksIn.sum(),
                counters.refusalsSent.sum(),
                counters.refusalsReceived.sum(),
                counters.distrusted.sum(),
                counters.dialsFailed.sum(),
                counters.framesDropped.sum(),
                counters.malformed.sum());
    }

    @Override
    public void close() {
        LinkLayer current;
        synchronized (lifeCycle) {
            if (closed) {
                return;
            }
            closed = true;
            current = layer;
        }
        if (current != null) {
            current.close();
        }
    }
}
