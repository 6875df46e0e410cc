package io.georep.flagons;

import java.util.UUID;

/**
 * A change has another outcome than its caller was told, because an operation with an earlier place came too late. That happens after
 * a split of the network, and seldom otherwise.
 *
 * @param key of the change
 * @param request the name that the caller gave to the operation; drawn at random if it gave none
 * @param result the outcome that counts now
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public record FleetOverturned<K, V>(K key, UUID request, FleetResult<V> result) {
    /** Returns the request and the outcome; not the key, which is nobody's business in a log. */
    @Override
    public String toString() {
        return "FleetOverturned[" + request + ", " + result + "]";
    }
}
