package io.georep.geopaxos.core.execution;

import io.georep.codec.SplitMix;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sets of groups by the numbers of objects. One thread changes it. Any thread may call {@link #get} meanwhile. The call ends and throws
 * nothing, but its result counts only if nothing was changed during it ({@link Changes}).
 */
final class ObjectTable {
    private static final int LEAST = 16;

    /** A place without groups is free. At most half of the places are taken. */
    private record Places(long[] objects, int[] groups) {
        Places(int size) {
            this(new long[size], new int[size]);
        }

        int home(long object) {
            return place(object, objects.length);
        }

        /** Returns where an object is, or would be. */
        int find(long object) {
            int place = home(object);
            for (int left = objects.length; left > 0 && groups[place] != 0 && objects[place] != object; left--) {
                place = place + 1 & objects.length - 1;
            }
            return place;
        }
    }

    /** Returns a place for an object among so many, a power of two. */
    static int place(long object, int count) {
        return (int) ((object * SplitMix.GOLDEN) >>> 32) & (count - 1);
    }

    private Places places = new Places(LEAST);
    private int size;

    /** Returns the groups of an object; 0 if it has none here. */
    int get(long object) {
        Places present = places;
        int place = present.find(object);
        return present.objects[place] == object ? present.groups[place] : 0;
    }

    /** Sets the groups of an object, 0 for none. Returns the former ones. */
    int put(long object, int groups) {
        if (2 * size >= places.objects.length) {
            grow();
        }
        int place = places.find(object);
        int before = places.groups[place];
        size += (groups == 0 ? 0 : 1) - (before == 0 ? 0 : 1);
        places.objects[place] = object;
        places.groups[place] = groups;
        if (groups == 0 && before != 0) {
            close(place);
        }
        return before;
    }

    private void grow() {
        Places former = places;
        Places next = new Places(2 * former.objects.length);
        for (int place = 0; place < former.objects.length; place++) {
            if (former.groups[place] != 0) {
                int to = next.find(former.objects[place]);
                next.objects[to] = former.objects[place];
                next.groups[to] = former.groups[place];
            }
        }
        places = next;
    }

    /** Closes the gap at a place that was freed: moves up the objects that would not be found any more. */
    private void close(int gone) {
        int mask = places.objects.length - 1;
        int free = gone;
        for (int place = free + 1 & mask; places.groups[place] != 0; place = place + 1 & mask) {
            int from = places.home(places.objects[place]);
            if ((place - from & mask) >= (place - free & mask)) {
                places.objects[free] = places.objects[place];
                places.groups[free] = places.groups[place];
                places.groups[place] = 0;
                free = place;
            }
        }
    }

    void clear() {
        places = new Places(LEAST);
        size = 0;
    }

    ObjectTable copy() {
        ObjectTable copy = new ObjectTable();
        copy.places = new Places(places.objects.clone(), places.groups.clone());
        copy.size = size;
        return copy;
    }

    /** Sorted, for comparison. */
    @Override
    public String toString() {
        Map<Long, Integer> all = new TreeMap<>();
        for (int place = 0; place < places.objects.length; place++) {
            if (places.groups[place] != 0) {
                all.put(places.objects[place], places.groups[place]);
            }
        }
        return all.toString();
    }
}
