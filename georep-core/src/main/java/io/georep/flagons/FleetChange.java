package io.georep.flagons;

import org.jspecify.annotations.Nullable;

/**
 * A change of a key.
 *
 * @param key the key
 * @param value the value after the change; null if it has none
 * @param version the place of the operation that has written this value, or removed it; {@link FleetPlace#NONE} if there is none
 * @param corrected whether what was told before was not right: an operation came too late for its place in the order, or was not
 *     heard of. The value is what the key has now, and may be the same
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public record FleetChange<K, V>(K key, @Nullable V value, FleetPlace version, boolean corrected) {
    /** Returns the place; neither key nor value, which are nobody's business in a log. */
    @Override
    public String toString() {
        return "FleetChange[" + version + (value == null ? ", no value" : "") + (corrected ? ", corrected]" : "]");
    }
}
