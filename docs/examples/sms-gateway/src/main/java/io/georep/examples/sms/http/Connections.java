package io.georep.examples.sms.http;

import io.georep.examples.sms.Strangers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Connections of the clients' port. Tomcat only bounds the time from one byte to the next, so a client that sends one byte at
 * a time would keep a connection for ever. Here the whole header of each request has a deadline, from the connection or from
 * the end of the request before. One address has a limit, and so have all connections that owe a whole request: one of these
 * gives way. Thread-safe.
 */
final class Connections {
    private final int perAddressMax;
    private final long headerNanos;
    private final LongSupplier nanos;
    private final Strangers<InetSocketAddress> owing;
    private final Map<InetSocketAddress, Open> open = new HashMap<>();
    private final Map<Object, Integer> byNetwork = new HashMap<>();

    private static final class Open {
        final SocketChannel channel;

        /** Since when its next header is awaited. */
        long since;

        /** The header is there. */
        boolean heard;

        Open(SocketChannel channel, long since) {
            this.channel = channel;
            this.since = since;
        }
    }

    /**
     * Nobody is connected.
     *
     * @param owingMax most connections that owe a whole request
     * @param perAddressMax most connections of one address
     * @param headerWithin longest time from the connection, or the end of a request, to the end of the next one's header
     * @param nanos the clock, as {@link System#nanoTime}
     * @param random draws who gives way
     */
    Connections(int owingMax, int perAddressMax, Duration headerWithin, LongSupplier nanos, RandomGenerator random) {
        this.perAddressMax = perAddressMax;
        this.headerNanos = headerWithin.toNanos();
        this.nanos = nanos;
        owing = new Strangers<>(owingMax, perAddressMax, random);
    }

    /**
     * Takes a new connection; false if it is to be closed: its address has as many connections as it may, and all of them wait
     * for answers.
     */
    synchronized boolean accept(SocketChannel channel) {
        InetSocketAddress remote = remote(channel);
        if (remote == null) {
            return false;
        }
        InetAddress address = remote.getAddress();
        if (count(address) >= perAddressMax) {
            sweep();
        }
        if (count(address) >= perAddressMax && !end(owing.displace(address))) {
            return false;
        }
        // An earlier connection may have had the same port.
        forget(remote);
        open.put(remote, new Open(channel, nanos.getAsLong()));
        byNetwork.merge(Strangers.network(address), 1, Integer::sum);
        end(owing.add(remote, address));
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
        return byNetwork.getOrDefault(Strangers.network(address), 0);
    }

    /** Ends a connection that gave way; false if there was none. */
    private boolean end(@Nullable InetSocketAddress displaced) {
        Open connection = displaced == null ? null : open.get(displaced);
        if (displaced == null || connection == null) {
            return false;
        }
        close(connection.channel);
        forget(displaced);
        return true;
    }

    private void forget(InetSocketAddress remote) {
        owing.remove(remote);
        if (open.remove(remote) != null) {
            byNetwork.computeIfPresent(
                    Strangers.network(remote.getAddress()), (network, count) -> count == 1 ? null : count - 1);
        }
    }

    /** The header of a request is there. */
    synchronized void heard(InetSocketAddress remote) {
        Open connection = open.get(remote);
        if (connection != null) {
            connection.heard = true;
        }
    }

    /** The whole request is there: from now on the client waits for the gateway. */
    synchronized void whole(InetSocketAddress remote) {
        owing.remove(remote);
    }

    /** The request is over: the connection may bring another one. */
    synchronized void answered(InetSocketAddress remote) {
        Open connection = open.get(remote);
        if (connection != null) {
            connection.heard = false;
            connection.since = nanos.getAsLong();
            end(owing.add(remote, remote.getAddress()));
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
