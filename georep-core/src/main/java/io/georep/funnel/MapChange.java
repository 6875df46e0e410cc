package io.georep.funnel;

import org.jspecify.annotations.Nullable;

/**
 * A committed change.
 *
 * @param map name of the map
 * @param key the key
 * @param value the value after the change; null if the key was removed or has expired
 * @param view number of the view it was committed in
 * @param commit its number within that view; of two changes the one with the greater (view, commit) is newer
 */
public record MapChange<K, V>(String map, K key, @Nullable V value, long view, long commit) {
    /** Returns the map, the view and the commit; neither key nor value, which are nobody's business in a log. */
    @Override
    public String toString() {
        return "MapChange[map=" + map + (value == null ? ", removed" : "") + ", view=" + view + ", commit=" + commit
                + "]";
    }
}
