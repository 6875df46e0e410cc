package io.georep.examples.sms.smpp;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Connections that are not bound yet. When there are too many, the oldest gives way to the new one: who means it binds at
 * once, so it is the silent ones that go. Thread-safe.
 *
 * @param <C> a connection
 */
final class Unbound<C> {
    private final int max;
    private final int perAddressMax;
    private final Map<C, InetAddress> byAge = new LinkedHashMap<>();

    Unbound(int max, int perAddressMax) {
        this.max = max;
        this.perAddressMax = perAddressMax;
    }

    /** Adds a new connection; answers the one that has to go for it, null for none. */
    synchronized @Nullable C add(C connection, InetAddress address) {
        List<C> neighbours = byAge.entrySet().stream()
                .filter(each -> each.getValue().equals(address))
                .map(Map.Entry::getKey)
                .toList();
        C oldest = null;
        if (neighbours.size() >= perAddressMax) {
            oldest = neighbours.get(0);
        } else if (byAge.size() >= max) {
            oldest = byAge.keySet().iterator().next();
        }
        if (oldest != null) {
            byAge.remove(oldest);
        }
        byAge.put(connection, address);
        return oldest;
    }

    /** Takes a connection out, if it is there: it is bound, or gone. */
    synchronized void remove(C connection) {
        byAge.remove(connection);
    }

    synchronized int size() {
        return byAge.size();
    }
}
