package io.georep.netty.internal.dial;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.sockets.Endpoint;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.sockets.LinkSettings;
import io.georep.netty.internal.sockets.SocketKind;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeDecoder;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.netty.internal.wire.RefusalCode;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Opens outgoing connections: look-up, TCP, handshake. */
public final class Connector {
    private final NodeIdentity self;
    private final LinkSettings settings;
    private final ChannelSecurity security;
    private final LinkCounters counters;
    private final Addresses addresses;
    private final EventLoop control;
    private final ChannelGroup channels;
    private final Bootstrap bootstrap;

    public Connector(
            NodeIdentity self,
            LinkSettings settings,
            ChannelSecurity security,
            LinkCounters counters,
            Addresses addresses,
            SocketKind io,
            EventLoopGroup loops,
            EventLoop control,
            ChannelGroup channels) {
        this.self = self;
        this.settings = settings;
        this.security = security;
        this.counters = counters;
        this.addresses = addresses;
        this.control = control;
        this.channels = channels;
        bootstrap = new Bootstrap()
                .group(loops)
                .channel(io.client())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, LinkSettings.CONNECT_TIMEOUT_MILLIS)
                .option(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(settings.writeBufferBytesLow(), settings.writeBufferBytesHigh()));
        io.options().forEach(bootstrap::option);
        io.unsent().apply(bootstrap, settings.writeBufferBytesHigh());
    }

    /** Runs on the control loop, later; does nothing once the loop has ended. */
    void tell(Runnable event) {
        try {
            control.execute(event);
        } catch (RejectedExecutionException e) {
            // Closed meanwhile; nobody is left to be told.
        }
    }

    /**
     * Looks a name up and calls back on the control loop, with a problem if the name server does not answer in time.
     */
    void lookUp(Endpoint endpoint, Addresses.Answer answer) {
        AtomicBoolean answered = new AtomicBoolean();
        int patience = LinkSettings.CONNECT_TIMEOUT_MILLIS;
        ScheduledFuture<?> timeout = control.schedule(
                () -> {
                    if (answered.compareAndSet(false, true)) {
                        answer.found(
                                null,
                                "no answer about host '" + endpoint.host() + "' within " + patience
                                        + " ms: check the name server");
                    }
                },
                patience,
                TimeUnit.MILLISECONDS);
        addresses.resolve(endpoint.host(), (found, problem) -> {
            if (answered.compareAndSet(false, true)) {
                tell(() -> {
                    timeout.cancel(false);
                    answer.found(found, problem);
                });
            }
        });
    }

    /** Connects and shakes hands once, for a link to a peer; calls back on the control loop. */
    void open(InetSocketAddress address, @Nullable NodeId expected, DialListener listener) {
        open(address, expected, 0, listener);
    }

    /**
     * Connects and shakes hands once; calls back on the control loop.
     *
     * @param chosenBy channel of the protocol that chose the link, 0 for a link to a peer
     */
    void open(InetSocketAddress address, @Nullable NodeId expected, int chosenBy, DialListener listener) {
        Handshake.Hello hello = new Handshake.Hello(
                HandshakeFormat.VERSION_MIN,
                HandshakeFormat.VERSION_MAX,
                settings.cluster(),
                self,
                expected == null ? "" : expected.value(),
                chosenBy);
        DialHandshake.Outcome outcome = outcome(listener);
        bootstrap
                .clone()
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channels.add(channel);
                        security.protect(channel.pipeline(), ChannelSecurity.Side.DIALER);
                        channel.pipeline()
                                .addLast(new HandshakeDecoder())
                                .addLast(
                                        new DialHandshake(hello, security, settings.handshakeTimeoutMillis(), outcome));
                    }
                })
                .connect(address)
                .addListener(connected -> {
                    if (!connected.isSuccess()) {
                        tell(() -> listener.failed(problem(address, connected.cause())));
                    }
                });
    }

    private DialHandshake.Outcome outcome(DialListener listener) {
        return new DialHandshake.Outcome() {
            @Override
            public void accepted(Channel channel, Handshake.Accept accept) {
                ChunkWriter writer = new ChunkWriter(channel, settings, counters);
                channel.pipeline().addLast(writer);
                channel.pipeline().remove(HandshakeDecoder.class);
                channel.pipeline().remove(DialHandshake.class);
                tell(() -> listener.accepted(channel, writer, accept.identity().withLimited(security.limits(channel))));
            }

            @Override
            public void refused(RefusalCode code, String reason) {
                tell(() -> listener.refused(code, reason));
            }

            @Override
            public void distrusted(String reason) {
                counters.distrusted.increment();
                tell(() -> listener.distrusted(reason));
            }

            @Override
            public void failed(String reason) {
                tell(() -> listener.failed(reason));
            }
        };
    }

    private static String problem(InetSocketAddress address, Throwable cause) {
        if (cause instanceof ConnectException
                && String.valueOf(cause.getMessage()).contains("refused")) {
            return "nobody listens on " + NetUtil.toSocketAddressString(address) + ": is the node running?";
        }
        return String.valueOf(cause.getMessage());
    }
}
