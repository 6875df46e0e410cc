package io.georep.netty.internal.sockets;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.SocketOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kind of sockets in use.
 *
 * @param name for the log
 * @param handlers runs an event loop
 * @param server listening channel
 * @param client channel of a connection
 * @param options how a connection that went dead is noticed
 * @param unsent keeps little in the operating system that could have been overtaken
 */
public record SocketKind(
        String name,
        IoHandlerFactory handlers,
        Class<? extends ServerSocketChannel> server,
        Class<? extends SocketChannel> client,
        Map<ChannelOption<Integer>, Integer> options,
        UnsentLimit unsent) {
    /** Limits what the operating system takes before it has sent what it took earlier; bytes. */
    @FunctionalInterface
    public interface UnsentLimit {
        void apply(Bootstrap bootstrap, int bytes);
    }

    private static final Logger LOG = LoggerFactory.getLogger(SocketKind.class);

    /** Epoll where wanted, on the class path and loadable; NIO otherwise. */
    public static SocketKind choose(boolean nativeTransport, int unacknowledgedTimeoutMillis) {
        if (nativeTransport) {
            try {
                SocketKind epoll = EpollSockets.io(unacknowledgedTimeoutMillis);
                if (epoll != null) {
                    return epoll;
                }
            } catch (LinkageError e) {
                LOG.debug("netty-transport-native-epoll is not on the class path; using NIO");
            }
        }
        return nio(unacknowledgedTimeoutMillis);
    }

    private static SocketKind nio(int unacknowledgedTimeoutMillis) {
        Map<ChannelOption<Integer>, Integer> options = new LinkedHashMap<>();
        KeepAlive keepAlive = KeepAlive.within(unacknowledgedTimeoutMillis);
        Set<SocketOption<?>> supported = supportedOptions();
        if (supported.contains(ExtendedSocketOptions.TCP_KEEPIDLE)
                && supported.contains(ExtendedSocketOptions.TCP_KEEPINTERVAL)
                && supported.contains(ExtendedSocketOptions.TCP_KEEPCOUNT)) {
            options.put(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), keepAlive.idleSeconds());
            options.put(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), keepAlive.intervalSeconds());
            options.put(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), keepAlive.probes());
        }
        return new SocketKind(
                "NIO",
                NioIoHandler.newFactory(),
                NioServerSocketChannel.class,
                NioSocketChannel.class,
                options,
                SocketKind::sendBuffer);
    }

    /**
     * NIO has no mark for unsent bytes. So this bounds the send buffer, and with it what is under way and the throughput over
     * long paths.
     */
    private static void sendBuffer(Bootstrap bootstrap, int bytes) {
        bootstrap.option(ChannelOption.SO_SNDBUF, bytes);
    }

    private static Set<SocketOption<?>> supportedOptions() {
        try (java.nio.channels.SocketChannel probe = java.nio.channels.SocketChannel.open()) {
            return probe.supportedOptions();
        } catch (IOException e) {
            return Set.of();
        }
    }

    /** Probes of an idle connection that add up to the time after which it is given up. */
    record KeepAlive(int idleSeconds, int intervalSeconds, int probes) {
        static KeepAlive within(int millis) {
            return new KeepAlive(Math.max(1, millis / 3_000), Math.max(1, millis / 6_000), 4);
        }
    }
}
