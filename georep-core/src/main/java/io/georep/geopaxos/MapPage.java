package io.georep.geopaxos;

import java.util.List;
import java.util.Map;

/**
 * Entries of a range, all of the same moment.
 *
 * @param entries in the order of the read
 * @param more whether the page was full, so that more entries may follow
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public record MapPage<K, V>(List<Map.Entry<K, V>> entries, boolean more) {
    /** Copies the list. */
    public MapPage {
        entries = List.copyOf(entries);
    }
}
