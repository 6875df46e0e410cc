package io.georep.funnel;

/**
 * Called for committed changes of a map.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
@FunctionalInterface
public interface MapListener<K, V> {
    /**
     * A change was committed. The changes of one key come in the order in which they were committed. After a node was
     * away, or when it cannot follow, changes may be left out, but the newest one of each key is told. Called on the
     * application thread of the maps, so it must not block.
     */
    void changed(MapChange<K, V> change);
}
