package io.georep.netty.internal;

import io.netty.channel.Channel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Incoming connections that have not yet said who they are. There is room for so many, and for fewer of one address. Where
 * there is no more, the one that has waited longest has to go: nodes need milliseconds, so they get through even while
 * strangers open connections by the thousand and let them wait. Safe for several threads.
 */
final class Newcomers {
    /** Most at one time: strangers cannot hold more memory and sockets. */
    static final int ALL_MAX = 1024;

    /** Most of one address, or of one network of IPv6 addresses (/64): there may be a whole site behind it. */
    static final int ADDRESS_MAX = 64;

    /** With the address that each counts for; longest waiting first. */
    private final Map<Channel, Object> all = new LinkedHashMap<>();

    private final Map<Object, Set<Channel>> byAddress = new HashMap<>();

    /** Lets a connection in, and answers the one that has to go for it. */
    synchronized @Nullable Channel enter(Channel channel) {
        Object address = address(channel.remoteAddress());
        Set<Channel> neighbours = byAddress.computeIfAbsent(address, key -> new LinkedHashSet<>());
        Channel displaced = null;
        if (neighbours.size() >= ADDRESS_MAX) {
            displaced = neighbours.iterator().next();
        } else if (all.size() >= ALL_MAX) {
            displaced = all.keySet().iterator().next();
        }
        all.put(channel, address);
        neighbours.add(channel);
        if (displaced != null) {
            leave(displaced);
        }
        return displaced;
    }

    /** The connection has said who it is, or is gone. */
    synchronized void leave(Channel channel) {
        Object address = all.remove(channel);
        Set<Channel> neighbours = address == null ? null : byAddress.get(address);
        if (neighbours != null && neighbours.remove(channel) && neighbours.isEmpty()) {
            byAddress.remove(address);
        }
    }

    synchronized int size() {
        return all.size();
    }

    /** Whoever has one address of a network of IPv6 has them all. */
    private static Object address(@Nullable SocketAddress remote) {
        InetAddress host = remote instanceof InetSocketAddress socket ? socket.getAddress() : null;
        if (host instanceof Inet6Address) {
            return ByteBuffer.wrap(host.getAddress(), 0, Long.BYTES).getLong();
        }
        return host == null ? "" : host;
    }
}
