package io.georep.netty.internal.accept;

import io.georep.model.TransportException;
import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.sockets.Endpoint;
import io.georep.netty.internal.sockets.SocketKind;
import io.georep.netty.internal.wire.HandshakeDecoder;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The listening socket. It is bound first and accepts later, because the port it gets is part of what is said on it. */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
public final class Acceptor {
    private static final int BACKLOG = 1024;

    private final Channel server;
    private final Incoming incoming;

    private Acceptor(Channel server, Incoming incoming) {
        this.server = server;
        this.incoming = incoming;
    }

    /**
     * Binds the address.
     *
     * @throws TransportException with the address, the cause and what to do
     */
    public static Acceptor bind(
            Endpoint endpoint, SocketKind io, EventLoopGroup loops, ChannelSecurity security, ChannelGroup channels) {
        Incoming incoming = new Incoming(security, channels);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(io.server())
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(incoming);
        if (!isWindows()) {
            // On Windows this option would let two processes have one port.
            bootstrap.option(ChannelOption.SO_REUSEADDR, true);
        }
        io.options().forEach(bootstrap::childOption);
        InetSocketAddress address = new InetSocketAddress(endpoint.host(), endpoint.port());
        if (address.isUnresolved()) {
            throw new TransportException(
                    "cannot listen on " + endpoint + ": host '" + endpoint.host()
                            + "' is not known; correct the address or the name service, or listen on 0.0.0.0",
                    new UnknownHostException(endpoint.host()));
        }
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        Throwable cause = bound.cause();
        if (cause != null) {
            throw new TransportException("cannot listen on " + endpoint + ": " + explain(cause), cause);
        }
        return new Acceptor(bound.channel(), incoming);
    }

    private static boolean isWindows() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");
    }

    private static String explain(Throwable cause) {
        String message = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        if (message.contains("in use")) {
            return "address already in use; stop the process that has the port (perhaps a second instance of this"
                    + " node) or configure another port";
        }
        if (message.contains("cannot assign")) {
            return "cannot assign requested address, no interface of this machine has it; listen on 0.0.0.0 or correct"
                    + " the address";
        }
        if (message.contains("denied") || message.contains("not permitted")) {
            return "permission denied; use a port above 1023";
        }
        return message;
    }

    public int port() {
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    /** Starts accepting. */
    public void open(AcceptHandshake.Surroundings surroundings) {
        incoming.surroundings = surroundings;
        server.config().setAutoRead(true);
    }

    public void close() {
        server.close();
    }

    /** Sets up what was accepted. */
    private static final class Incoming extends ChannelInitializer<Channel> {
        private final ChannelSecurity security;
        private final ChannelGroup channels;
        private volatile AcceptHandshake.@Nullable Surroundings surroundings;

        Incoming(ChannelSecurity security, ChannelGroup channels) {
            this.security = security;
            this.channels = channels;
        }

        @Override
        protected void initChannel(Channel channel) {
            channels.add(channel);
            AcceptHandshake.Surroundings around = Objects.requireNonNull(surroundings);
            channel.pipeline().addLast(new FirstBytes(around.newcomers()));
            security.protect(channel.pipeline(), ChannelSecurity.Side.ACCEPTOR);
            channel.pipeline().addLast(new HandshakeDecoder()).addLast(new AcceptHandshake(around));
        }

        @Override
        public boolean isSharable() {
            return true;
        }
    }

    /** Stands first, and tells when a connection sends something. */
    private static final class FirstBytes extends ChannelInboundHandlerAdapter {
        private final Newcomers newcomers;

        FirstBytes(Newcomers newcomers) {
            this.newcomers = newcomers;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            newcomers.spoke(context.channel());
            context.fireChannelRead(bytes);
            context.pipeline().remove(this);
        }
    }
}
