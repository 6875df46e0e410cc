package io.georep.geopaxos;

/**
 * Called for executed changes of a map, on the application thread of the ordered maps: it must not wait. What it throws is logged.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
@FunctionalInterface
public interface OrderedMapListener<K, V> {
    /** A change was executed on this node. Changes come in the order in which this node executes them, which is the same on all nodes for each key. */
    void changed(OrderedMapChange<K, V> change);

    /**
     * Changes were left out: too many waited for this node's listeners, or this node has taken the state of another one. Reads
     * from now on show these changes, and later changes are told. Of a page that is read now and a change of one of its keys,
     * the one that comes later to this thread is newer.
     */
    default void missed() {}
}
