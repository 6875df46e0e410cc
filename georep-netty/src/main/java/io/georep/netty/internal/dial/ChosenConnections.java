package io.georep.netty.internal.dial;

import io.georep.logging.LimitedLog;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.accept.Admission;
import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.sockets.Endpoint;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.wire.ChunkFormat;
import io.georep.netty.internal.wire.RefusalCode;
import io.georep.spi.Transport;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links that protocols have chosen themselves. Each has a connection of its own, whatever else leads to the same
 * process. A link is dialled once, and its end is told once. What changes links runs on the control loop; requests
 * come from any thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
public final class ChosenConnections {
    private static final Logger LOG = LoggerFactory.getLogger(ChosenConnections.class);

    /** Time for the last frames of a link that is closed. */
    private static final long FLUSH_MILLIS = 1_000;

    private final EventLoop control;
    private final Connector connector;
    private final Admission admission;
    private final Transport.Listener listener;
    private final LinkCounters counters;
    private final Announcements announcements;
    private final LimitedLog distrusts = new LimitedLog(LOG);
    private final ConcurrentHashMap<Long, Link> links = new ConcurrentHashMap<>();

    public ChosenConnections(
            EventLoop control,
            Connector connector,
            Admission admission,
            Transport.Listener listener,
            LinkCounters counters) {
        this.control = control;
        this.connector = connector;
        this.admission = admission;
        this.listener = listener;
        this.counters = counters;
        announcements = new Announcements(control);
    }

    /** See {@link Transport#openLink}. */
    public void open(long number, int channel, String address) {
        Link link = new Link(number, channel, address);
        links.put(number, link);
        connector.tell(link::dial);
    }

    /** See {@link Transport#closeLink}. */
    public void close(long number) {
        Link link = links.remove(number);
        if (link != null) {
            connector.tell(link::finish); // what is sent from now on does not leave any more
        }
    }

    /** See {@link Transport#sendOver}. */
    public void send(long number, byte[] frame) {
        Link link = links.get(number);
        if (link == null || !link.send(frame)) {
            counters.framesDropped.increment();
        }
    }

    /** Closes the links to those that lost the right to them. */
    public void review(ChannelSecurity security) {
        links.values().forEach(link -> {
            Channel open = link.connection;
            String reason = open == null ? null : security.withdrawn(open);
            if (reason != null) {
                counters.distrusted.increment();
                LOG.warn("closing the link to {}: {}", link.address, reason);
                link.close();
            }
        });
    }

    /** See {@link LinkTable#look}. */
    public void look() {
        announcements.look();
    }

    /** Closes the links to this boot of a node. */
    public void drop(NodeIdentity process) {
        links.values().forEach(link -> {
            NodeIdentity other = link.process;
            if (other != null && other.id().equals(process.id()) && other.nonce() == process.nonce()) {
                link.close();
            }
        });
    }

    /** One link, from the attempt to dial to its end. */
    private final class Link implements DialListener {
        private final long number;
        private final int lane;
        private final String address;
        private @Nullable Channel connection;
        private @Nullable NodeIdentity process;

        /** Null until the link is up. */
        private volatile @Nullable ChunkWriter writer;

        Link(long number, int lane, String address) {
            this.number = number;
            this.lane = lane;
            this.address = address;
        }

        void dial() {
            attempt(this::lookUp);
        }

        /** Lack of memory or threads must not leave the link without an end. */
        private void attempt(Runnable step) {
            try {
                step.run();
            } catch (Throwable e) {
                failed("the attempt could not be made: " + e);
            }
        }

        private void lookUp() {
            try {
                Endpoint endpoint = Endpoint.parse(address);
                connector.lookUp(endpoint, (found, problem) -> attempt(() -> connect(endpoint, found, problem)));
            } catch (ConfigurationException e) {
                failed(String.valueOf(e.getMessage()));
            }
        }

        private void connect(Endpoint endpoint, @Nullable List<InetAddress> found, @Nullable String problem) {
            if (found == null) {
                failed(String.valueOf(problem));
            } else if (links.get(number) == this) {
                // Another attempt has another number, and so tries another of the name's addresses.
                InetSocketAddress chosen = Addresses.choose(found, endpoint.port(), (int) number, null);
                connector.open(chosen, null, lane, this);
            }
        }

        @Override
        public void accepted(Channel channel, ChunkWriter newWriter, NodeIdentity peer) {
            String reason = admission.reasonAgainst(peer);
            if (reason != null || links.get(number) != this) {
                channel.close();
                end("this node refuses " + peer.id() + ": " + reason);
                return;
            }
            connection = channel;
            process = peer;
            writer = newWriter;
            counters.linksOut.increment();
            LOG.debug("link {} to {} at {} for channel {}", number, peer.id(), address, lane);
            channel.closeFuture()
                    .addListener(closed -> connector.tell(() -> {
                        counters.linksOut.decrement();
                        end("the other side closed the link or the network broke it");
                    }));
            channel.eventLoop()
                    .execute(() -> newWriter.marks((only, room) ->
                            connector.tell(() -> announcements.tell(() -> listener.linkWritable(number, room)))));
            // Last: the protocol may send at once, and must hear of the marks that this reaches.
            announcements.tell(() -> listener.linkOpened(number, peer));
        }

        @Override
        public void refused(RefusalCode code, String reason) {
            counters.refusalsReceived.increment();
            end(reason);
        }

        @Override
        public void distrusted(String reason) {
            distrusts.warn("link to " + address + " refused: " + reason);
            end(reason);
        }

        @Override
        public void failed(String reason) {
            counters.dialsFailed.increment();
            end(reason);
        }

        private void end(String reason) {
            if (links.remove(number, this)) {
                LOG.debug("link {} to {} ended: {}", number, address, reason);
                announcements.tell(() -> listener.linkEnded(number, reason));
            }
        }

        /** Any thread. */
        boolean send(byte[] frame) {
            ChunkWriter up = writer;
            return up != null && frame.length <= ChunkFormat.BODY_MAX && up.offer(frame, false, lane);
        }

        void close() {
            Channel open = connection;
            if (open != null) {
                open.close();
            }
        }

        /** Closes the connection when everything queued is sent. */
        void finish() {
            Channel open = connection;
            ChunkWriter last = writer;
            if (open != null && last != null) {
                open.eventLoop().execute(last::finish);
                control.schedule(this::close, FLUSH_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
    }
}
