package io.georep.examples.sms;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Connections whose clients are not known yet. When there are too many, one of them, drawn at random, is closed for a new one.
 * If it were always the oldest or the newest, strangers that connect fast enough could keep out every distant client.
 * Thread-safe.
 *
 * @param <C> a connection
 */
public final class Strangers<C> {
    private final int max;
    private final int perNetworkMax;
    private final RandomGenerator random;
    private final Map<C, Object> networks = new LinkedHashMap<>();
    private final Map<Object, List<C>> neighbours = new HashMap<>();

    /**
     * Nobody is connected.
     *
     * @param max most at a time
     * @param perNetworkMax most of one {@link #network}
     * @param random draws who gives way; used under this object's lock
     */
    public Strangers(int max, int perNetworkMax, RandomGenerator random) {
        this.max = max;
        this.perNetworkMax = perNetworkMax;
        this.random = random;
    }

    /** What counts as one address: whoever has one address of a network of IPv6 has them all. */
    public static Object network(InetAddress address) {
        return address instanceof Inet6Address
                ? (Object) ByteBuffer.wrap(address.getAddress(), 0, Long.BYTES).getLong()
                : address;
    }

    /** Adds a new connection; returns the one that has to go for it and is taken out, null for none. */
    public synchronized @Nullable C add(C connection, InetAddress address) {
        remove(connection);
        C displaced = neighbours.getOrDefault(network(address), List.of()).size() >= perNetworkMax
                ? displace(address)
                : networks.size() >= max ? drawn(List.copyOf(networks.keySet())) : null;
        networks.put(connection, network(address));
        neighbours.computeIfAbsent(network(address), none -> new ArrayList<>()).add(connection);
        return displaced;
    }

    /** Takes out one of those of this address, null if there is none. */
    public synchronized @Nullable C displace(InetAddress address) {
        List<C> near = neighbours.get(network(address));
        return near == null ? null : drawn(near);
    }

    private C drawn(List<C> from) {
        C drawn = from.get(random.nextInt(from.size()));
        remove(drawn);
        return drawn;
    }

    /** Takes a connection out, if it is there: its client is known, or gone. */
    public synchronized void remove(C connection) {
        Object network = networks.remove(connection);
        List<C> near = network == null ? null : neighbours.get(network);
        if (near != null) {
            near.remove(connection);
            if (near.isEmpty()) {
                neighbours.remove(network);
            }
        }
    }

    /** How many there are. */
    public synchronized int size() {
        return networks.size();
    }
}
