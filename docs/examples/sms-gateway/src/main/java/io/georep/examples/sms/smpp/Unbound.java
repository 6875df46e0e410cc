package io.georep.examples.sms.smpp;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Connections that are not bound yet. When there are too many, one of them gives way to the new one, drawn at random: were it
 * the oldest, strangers who connect fast enough would keep out every client that is far away. Thread-safe.
 *
 * @param <C> a connection
 */
final class Unbound<C> {
    private final int max;
    private final int perAddressMax;
    private final RandomGenerator random;
    private final Map<C, InetAddress> byAge = new LinkedHashMap<>();

    Unbound(int max, int perAddressMax, RandomGenerator random) {
        this.max = max;
        this.perAddressMax = perAddressMax;
        this.random = random;
    }

    /** Adds a new connection; answers the one that has to go for it, null for none. */
    synchronized @Nullable C add(C connection, InetAddress address) {
        List<C> neighbours = byAge.entrySet().stream()
                .filter(each -> each.getValue().equals(address))
                .map(Map.Entry::getKey)
                .toList();
        C displaced = null;
        if (neighbours.size() >= perAddressMax) {
            displaced = neighbours.get(random.nextInt(neighbours.size()));
        } else if (byAge.size() >= max) {
            displaced = List.copyOf(byAge.keySet()).get(random.nextInt(byAge.size()));
        }
        if (displaced != null) {
            byAge.remove(displaced);
        }
        byAge.put(connection, address);
        return displaced;
    }

    /** Takes a connection out, if it is there: it is bound, or gone. */
    synchronized void remove(C connection) {
        byAge.remove(connection);
    }

    synchronized int size() {
        return byAge.size();
    }
}
