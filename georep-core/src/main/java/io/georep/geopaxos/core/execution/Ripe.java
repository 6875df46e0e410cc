package io.georep.geopaxos.core.execution;

import org.jspecify.annotations.Nullable;

/**
 * The operations of a group that other nodes may have executed, and this one has not. Other threads may read all keys and
 * objects that these operations do not change. To find out, the places of what they write are counted, so the cost of a turn
 * does not depend on their number.
 */
public final class Ripe extends Conflicts {
    private static final int PLACES = 1 << 13;

    /**
     * What other threads must not read. Immutable. If several keys or objects share a place, this only costs time.
     *
     * @param everything whether nothing may be read
     * @param places a bit for each place that a key or an object that is held has
     */
    public record Held(boolean everything, long[] places) {
        boolean has(long key, long object) {
            return everything || isIn(place(key)) || isIn(place(object));
        }

        private boolean isIn(int place) {
            return (places[place / Long.SIZE] >> place & 1) != 0;
        }
    }

    /**
     * By place: how many keys and objects that are held have it. Empty before the first one, because most groups of a node never
     * have any.
     */
    private int[] times = {};

    /** A bit for each place that something has. */
    private long[] places = {};

    private int everything;

    /** Null if there is nothing, or if it was not asked for since something changed. */
    private @Nullable Held held;

    private static int place(long keyOrObject) {
        return ObjectTable.place(keyOrObject, PLACES);
    }

    @Override
    public boolean add(Pending each) {
        boolean isNew = super.add(each);
        if (isNew) {
            count(each.footprint, 1);
        }
        return isNew;
    }

    @Override
    boolean remove(Pending each) {
        boolean was = super.remove(each);
        if (was) {
            count(each.footprint, -1);
        }
        return was;
    }

    private void count(Footprint footprint, int by) {
        held = null;
        everything += footprint.everything() ? by : 0;
        if (times.length == 0) {
            times = new int[PLACES];
            places = new long[PLACES / Long.SIZE];
        }
        count(footprint.writes(), by);
        count(footprint.objects(), by);
    }

    private void count(long[] keysOrObjects, int by) {
        for (long each : keysOrObjects) {
            int place = place(each);
            times[place] += by;
            long bit = 1L << place;
            places[place / Long.SIZE] =
                    times[place] > 0 ? places[place / Long.SIZE] | bit : places[place / Long.SIZE] & ~bit;
        }
    }

    /** Returns what other threads must not read; null if they may read all. */
    @Nullable
    Held held() {
        if (isEmpty()) {
            return null;
        }
        Held present = held;
        if (present == null) {
            present = new Held(everything > 0, places.clone());
            held = present;
        }
        return present;
    }
}
