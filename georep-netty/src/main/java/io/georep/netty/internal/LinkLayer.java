package io.georep.netty.internal;

import io.georep.logging.LimitedLog;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.TransportException;
import io.georep.netty.internal.accept.AcceptHandshake;
import io.georep.netty.internal.accept.Acceptor;
import io.georep.netty.internal.accept.Admission;
import io.georep.netty.internal.accept.Newcomers;
import io.georep.netty.internal.accept.ReassemblyRoom;
import io.georep.netty.internal.dial.Addresses;
import io.georep.netty.internal.dial.ChosenConnections;
import io.georep.netty.internal.dial.ChunkWriter;
import io.georep.netty.internal.dial.Connector;
import io.georep.netty.internal.dial.LinkTable;
import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.sockets.Endpoint;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.sockets.LinkSettings;
import io.georep.netty.internal.sockets.SocketKind;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.spi.Transport;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything between start and close: event loops, the listening socket, links in both directions. What changes links runs
 * on one event loop, the control loop; frames run on the loop of their connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
public final class LinkLayer {
    private static final Logger LOG = LoggerFactory.getLogger(LinkLayer.class);
    private static final long FLUSH_MILLIS = 1_000;
    private static final long LOOK_MILLIS = 5_000;
    private static final long RELEASE_MILLIS = 2_000;

    private final NodeIdentity self;
    private final LinkSettings settings;
    private final LinkCounters counters;
    private final ListenerGate gate;
    private final MultiThreadIoEventLoopGroup loops;
    private final Rounds rounds;
    private final EventLoop control;
    private final Acceptor acceptor;
    private final ChannelGroup incoming;
    private final ChannelGroup outgoing;
    private final Addresses addresses;
    private final Admission admission;
    private final ReassemblyRoom room;
    private final LinkTable table;
    private final ChosenConnections chosenConnections;
    private final ChannelSecurity security;
    private final LimitedLog strangers = new LimitedLog(LOG);
    private final LimitedLog drops = new LimitedLog(LOG);

    private LinkLayer(
            NodeIdentity self,
            LinkSettings settings,
            LinkCounters counters,
            Transport.Listener listener,
            SocketKind io,
            MultiThreadIoEventLoopGroup loops,
            EventLoop control,
            Acceptor acceptor,
            ChannelGroup incoming,
            Addresses addresses,
            ChannelSecurity security) {
        this.self = self;
        this.security = security;
        this.addresses = addresses;
        this.settings = settings;
        this.counters = counters;
        this.loops = loops;
        this.acceptor = acceptor;
        this.incoming = incoming;
        outgoing = new DefaultChannelGroup(control);
        gate = new ListenerGate(listener);
        rounds = new Rounds(loops, gate::cameRound);
        this.control = control;
        admission = new Admission(self, settings.cluster());
        room = new ReassemblyRoom(settings.frameBytesMax(), settings.unacknowledgedTimeoutMillis(), System::nanoTime);
        Connector connector =
                new Connector(self, settings, security, counters, addresses, io, loops, control, outgoing);
        table = new LinkTable(self, settings, control, connector, admission, gate, counters);
        chosenConnections = new ChosenConnections(control, connector, admission, gate, counters);
    }

    /**
     * Binds and starts accepting.
     *
     * @throws TransportException when the address cannot be bound
     */
    public static LinkLayer start(
            NodeIdentity identity, LinkSettings settings, LinkCounters counters, Transport.Listener listener) {
        return start(identity, settings, counters, listener, InetAddress::getAllByName);
    }

    public static LinkLayer start(
            NodeIdentity identity,
            LinkSettings settings,
            LinkCounters counters,
            Transport.Listener listener,
            Addresses.Lookup lookup) {
        HandshakeFormat.check(identity);
        Endpoint advertised = Endpoint.parse(identity.address());
        String bindAddress = settings.bindAddress();
        Endpoint bind = bindAddress == null ? advertised : Endpoint.parse(bindAddress);
        ChannelSecurity security = settings.security(identity.id());
        SocketKind io = SocketKind.choose(settings.nativeTransport(), settings.unacknowledgedTimeoutMillis());
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                settings.eventLoopThreads(),
                new DefaultThreadFactory("georep-link-" + identity.id(), true),
                io.handlers());
        EventLoop control = loops.next();
        ChannelGroup incoming = new DefaultChannelGroup(control);
        Acceptor acceptor;
        try {
            acceptor = Acceptor.bind(bind, io, loops, security, incoming);
        } catch (RuntimeException e) {
            security.close();
            loops.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
            throw e;
        }
        Endpoint reachable = advertised.port() == 0 ? advertised.withPort(acceptor.port()) : advertised;
        NodeIdentity self = identity.withAddress(reachable.toString());
        LinkLayer layer = new LinkLayer(
                self,
                settings,
                counters,
                listener,
                io,
                loops,
                control,
                acceptor,
                incoming,
                new Addresses(lookup),
                security);
        layer.open(io, bind);
        return layer;
    }

    private void open(SocketKind io, Endpoint bind) {
        acceptor.open(new AcceptHandshake.Surroundings(
                settings,
                security,
                admission,
                gate,
                counters,
                strangers,
                new LimitedLog(LOG),
                new Newcomers(RandomGenerator.getDefault()),
                room,
                peer -> onControl(() -> table.arrived(peer))));
        security.watch(control, addresses::aside, () -> onControl(this::review));
        control.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        LOG.info(
                "{} of cluster '{}' listens on {} with {}, peers reach it at {}",
                self.id(),
                settings.cluster(),
                bind.withPort(acceptor.port()),
                io.name(),
                self.address());
    }

    /** Goes on with what stands still. It throws nothing, because it would not be called again then. */
    private void look() {
        try {
            table.look();
            chosenConnections.look();
        } catch (Throwable e) {
            // There may be more memory the next time.
        }
    }

    /** See {@link Transport#limited}. */
    public boolean limited() {
        return security.limited();
    }

    /** Returns where peers reach this node. */
    public String address() {
        return self.address();
    }

    /** See {@link Transport#targets}. */
    public void targets(Map<NodeId, String> peers, Collection<String> seeds) {
        onControl(() -> table.retarget(peers, seeds));
    }

    /** See {@link Transport#send(Transport.Outgoing)}. */
    public void send(Transport.Outgoing frame) {
        ChunkWriter writer = queue(frame);
        if (writer != null) {
            writer.wake();
        }
    }

    /** See {@link Transport#sendAll}. */
    public void sendAll(List<Transport.Outgoing> frames) {
        List<ChunkWriter> resting = new ArrayList<>();
        for (Transport.Outgoing outgoing : frames) {
            ChunkWriter writer = queue(outgoing);
            if (writer != null) {
                resting.add(writer);
            }
        }
        ChunkWriter.wakeAll(resting);
    }

    /** Queues a frame if there is a link and room; returns the writer if it has to be woken for it. */
    private @Nullable ChunkWriter queue(Transport.Outgoing outgoing) {
        NodeId peer = outgoing.peer();
        byte[] frame = outgoing.frame();
        ChunkWriter writer = table.linkTo(peer);
        if (writer == null) {
            counters.framesDropped.increment();
            return null;
        }
        if (frame.length > settings.frameBytesMax()) {
            counters.framesDropped.increment();
            drops.warn("dropped a frame of " + frame.length + " bytes to " + peer + ": frameBytesMax is "
                    + settings.frameBytesMax());
            return null;
        }
        ChunkWriter.Offered offered = writer.queue(frame, outgoing.urgent(), outgoing.lane());
        if (offered == ChunkWriter.Offered.REFUSED) {
            counters.framesDropped.increment();
            drops.warn("dropped a frame of channel " + outgoing.lane() + " to " + peer + ": " + writer.queuedBytes()
                    + " bytes wait for it already, queueBytesMax is " + settings.queueBytesMax()
                    + " for all protocols on the link together");
        }
        return offered == ChunkWriter.Offered.RESTING ? writer : null;
    }

    /** See {@link Transport#reading}. */
    public void reading(boolean on) {
        admission.reading(on);
        room.reading(on);
        rounds.reading(on);
    }

    /** For tests: room for large frames. */
    ReassemblyRoom room() {
        return room;
    }

    /** For tests: waits until the event loops have done what they were given so far. */
    void settle() {
        loops.forEach(loop -> loop.submit(() -> {}).syncUninterruptibly());
    }

    /** See {@link Transport#renew}. */
    public void renew(NodeId peer, String reason) {
        onControl(() -> table.renew(peer, reason));
    }

    /** See {@link Transport#refuse}. */
    public void refuse(NodeIdentity peer, String reason) {
        for (Channel channel : admission.refuse(peer, reason)) {
            channel.close();
        }
        onControl(() -> {
            table.drop(peer, reason);
            chosenConnections.drop(peer);
        });
    }

    /** See {@link Transport#pardon}. */
    public void pardon(NodeIdentity peer) {
        admission.pardon(peer);
    }

    /** See {@link Transport#openLink}. */
    public void openLink(long link, int channel, String address) {
        chosenConnections.open(link, channel, address);
    }

    /** See {@link Transport#closeLink}. */
    public void closeLink(long link) {
        chosenConnections.close(link);
    }

    /** See {@link Transport#sendOver}. */
    public void sendOver(long link, byte[] frame) {
        chosenConnections.send(link, frame);
    }

    /** See {@link Transport#goRound}. */
    public void goRound(long stamp) {
        rounds.go(stamp);
    }

    /** Closes the links of those that lost the right to them. */
    private void review() {
        for (Channel channel : incoming) {
            String reason = security.withdrawn(channel);
            if (reason != null) {
                counters.distrusted.increment();
                strangers.warn("closed the link from " + channel.remoteAddress() + ": " + reason);
                channel.close();
            }
        }
        table.review(security);
        chosenConnections.review(security);
    }

    private void onControl(Runnable task) {
        try {
            control.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("ignored, the transport is closed");
        }
    }

    /** See {@link Transport#close}; called once. */
    public void close() {
        security.close();
        acceptor.close();
        Promise<Void> flushed = control.newPromise();
        onControl(() -> table.finish(flushed));
        // A listener that closes the transport stands on one of the threads that would have to be waited for.
        boolean canWait = !isOnOwnThread();
        if (canWait) {
            flushed.awaitUninterruptibly(FLUSH_MILLIS);
        }
        outgoing.close();
        incoming.close();
        onControl(table::takeDownAll);
        var released = loops.shutdownGracefully(0, RELEASE_MILLIS, TimeUnit.MILLISECONDS);
        if (canWait && !released.awaitUninterruptibly(RELEASE_MILLIS)) {
            LOG.warn("{}'s links are closed, but their threads are still busy: does a listener block?", self.id());
        }
        gate.shut();
        addresses.close();
    }

    private boolean isOnOwnThread() {
        for (EventExecutor loop : loops) {
            if (loop.inEventLoop()) {
                return true;
            }
        }
        return false;
    }
}
