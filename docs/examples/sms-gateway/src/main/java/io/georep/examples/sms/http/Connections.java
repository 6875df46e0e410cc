package io.georep.examples.sms.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Connections of the clients' port. Tomcat only bounds the time from one byte to the next, so a client that sends one byte at
 * a time would keep a connection for ever. Here the whole header of each request has a deadline, from the connection or from
 * the end of the request before, and one address has a limit. Thread-safe.
 */
final class Connections {
    private final int perAddressMax;
    private final long headerNanos;
    private final LongSupplier nanos;
    private final Map<InetSocketAddress, Open> open = new HashMap<>();
    private final Map<InetAddress, Integer> byAddress = new HashMap<>();

    private static final class Open {
        final SocketChannel channel;

        /** Since when it owes the header of a request. */
        long since;

        /** A request is under way. */
        boolean heard;

        Open(SocketChannel channel, long since) {
            this.channel = channel;
            this.since = since;
        }
    }

    /**
     * Nobody is connected.
     *
     * @param perAddressMax most connections of one address
     * @param headerWithin longest time from the connection, or the end of a request, to the end of the next one's header
     * @param nanos the clock, as {@link System#nanoTime}
     */
    Connections(int perAddressMax, Duration headerWithin, LongSupplier nanos) {
        this.perAddressMax = perAddressMax;
        this.headerNanos = headerWithin.toNanos();
        this.nanos = nanos;
    }

    /** Takes a new connection; false when its address has too many, and it is to be closed. */
    synchronized boolean accept(SocketChannel channel) {
        InetSocketAddress remote = remote(channel);
        if (remote == null) {
            return false;
        }
        if (count(remote.getAddress()) >= perAddressMax) {
            sweep();
        }
        if (count(remote.getAddress()) >= perAddressMax) {
            return false;
        }
        // The port may be one of a connection that is over.
        forget(remote);
        open.put(remote, new Open(channel, nanos.getAsLong()));
        byAddress.merge(remote.getAddress(), 1, Integer::sum);
        return true;
    }

    private static @Nullable InetSocketAddress remote(SocketChannel channel) {
        try {
            return channel.getRemoteAddress() instanceof InetSocketAddress remote ? remote : null;
        } catch (IOException e) {
            return null;
        }
    }

    private int count(InetAddress address) {
        return byAddress.getOrDefault(address, 0);
    }

    private void forget(InetSocketAddress remote) {
        if (open.remove(remote) != null) {
            byAddress.computeIfPresent(remote.getAddress(), (address, count) -> count == 1 ? null : count - 1);
        }
    }

    /** The header of a request is there. */
    synchronized void heard(InetSocketAddress remote) {
        Open connection = open.get(remote);
        if (connection != null) {
            connection.heard = true;
        }
    }

    /** The request is over: the connection may bring another one. */
    synchronized void answered(InetSocketAddress remote) {
        Open connection = open.get(remote);
        if (connection != null) {
            connection.heard = false;
            connection.since = nanos.getAsLong();
        }
    }

    /** Closes what is overdue, and forgets what is closed; to be called about once a second. */
    synchronized void sweep() {
        long now = nanos.getAsLong();
        for (Map.Entry<InetSocketAddress, Open> each : Map.copyOf(open).entrySet()) {
            Open connection = each.getValue();
            if (!connection.heard && now - connection.since >= headerNanos) {
                close(connection.channel);
            }
            if (!connection.channel.isOpen()) {
                forget(each.getKey());
            }
        }
    }

    private static void close(SocketChannel channel) {
        try {
            // Tomcat finds the end of the stream, and closes its side of it.
            channel.shutdownInput();
            channel.shutdownOutput();
        } catch (IOException e) {
            // It is closed already.
        }
    }

    synchronized int size() {
        return open.size();
    }
}
