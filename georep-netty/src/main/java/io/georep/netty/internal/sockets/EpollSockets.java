package io.georep.netty.internal.sockets;

import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The only class that names epoll types, which an application may leave out. */
final class EpollSockets {
    private EpollSockets() {}

    /** Null when the native library is not there or does not load. */
    static @Nullable SocketKind io(int unacknowledgedTimeoutMillis) {
        if (!Epoll.isAvailable()) {
            return null;
        }
        Map<ChannelOption<Integer>, Integer> options = new LinkedHashMap<>();
        SocketKind.KeepAlive keepAlive = SocketKind.KeepAlive.within(unacknowledgedTimeoutMillis);
        options.put(EpollChannelOption.TCP_USER_TIMEOUT, unacknowledgedTimeoutMillis);
        options.put(EpollChannelOption.TCP_KEEPIDLE, keepAlive.idleSeconds());
        options.put(EpollChannelOption.TCP_KEEPINTVL, keepAlive.intervalSeconds());
        options.put(EpollChannelOption.TCP_KEEPCNT, keepAlive.probes());
        return new SocketKind(
                "epoll",
                EpollIoHandler.newFactory(),
                EpollServerSocketChannel.class,
                EpollSocketChannel.class,
                options,
                (bootstrap, bytes) -> bootstrap.option(EpollChannelOption.TCP_NOTSENT_LOWAT, (long) bytes));
    }
}
