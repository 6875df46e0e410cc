package io.georep.flagons;

/**
 * Called for changes of a fleet map, on the application thread of the fleet: it must not wait. What it throws is logged.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
@FunctionalInterface
public interface FleetListener<K, V> {
    /** A key was changed. Changes of a key come in the order of their places, unless they are corrections. */
    void changed(FleetChange<K, V> change);

    /** Changes were left out, because too many waited for this node's listeners. Keys that were told before are still read now and then. */
    default void missed() {}

    /**
     * Of a prefix: what its keys had when the listener came was told, and changes since then.
     *
     * @param all if not, some nodes have not answered in time, or this node may not hear of all changes, for which it has joined or was cut
     *     off; so there may be keys that were not told. They are asked for again and told as they come, and when all are this is called
     *     once more
     */
    default void listed(boolean all) {}
}
