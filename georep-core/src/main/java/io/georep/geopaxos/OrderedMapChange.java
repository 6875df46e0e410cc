package io.georep.geopaxos;

import org.jspecify.annotations.Nullable;

/**
 * A change that was executed.
 *
 * @param map name of the map
 * @param key the key
 * @param value the value after the change; null if the key was removed or has expired
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public record OrderedMapChange<K, V>(
        String map, K key, @Nullable V value) {
    /** Returns the map; neither key nor value, which are nobody's business in a log. */
    @Override
    public String toString() {
        return "OrderedMapChange[map=" + map + (value == null ? ", removed" : "") + "]";
    }
}
