package io.georep.geopaxos.core.map;

import io.georep.model.Slice;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leaves by their lower bounds, each where the one before it ends. One thread changes it. Any thread may look for a leaf
 * meanwhile. The search ends without an error, but its result counts only if nothing has changed.
 */
final class LeafOrder {
    private static final int LEAST = 16;

    private Leaf[] sorted = new Leaf[LEAST];
    private int size;

    int size() {
        return size;
    }

    Leaf get(int place) {
        return sorted[place];
    }

    /** Returns the place of the leaf that a key belongs to; -1 if it is before all of them. */
    int floor(Slice key) {
        return floor(sorted, size, Leaf.NOTHING, key.array(), key.offset(), key.length());
    }

    /** Returns the leaf that a key belongs to, for any thread. The key is in two parts, so that nobody has to join them. */
    @Nullable
    Leaf find(byte[] begin, byte[] rest) {
        Leaf[] present = sorted;
        int place = floor(present, Math.min(size, present.length), begin, rest, 0, rest.length);
        return place < 0 ? null : present[place];
    }

    private static int floor(Leaf[] sorted, int size, byte[] begin, byte[] rest, int offset, int length) {
        int from = 0;
        int to = size - 1;
        while (from <= to) {
            int middle = (from + to) >>> 1;
            Leaf leaf = sorted[middle];
            if (leaf == null) {
                return -1; // another thread looks while it changes
            }
            if (Leaf.compare(leaf.low, begin, rest, offset, length) <= 0) {
                from = middle + 1;
            } else {
                to = middle - 1;
            }
        }
        return to;
    }

    /** Takes another version of the leaf at a place. */
    void set(int place, Leaf leaf) {
        sorted[place] = leaf;
    }

    /** Takes a leaf, or another version of one in its place. */
    void put(Leaf leaf) {
        int place = floor(leaf.low);
        if (place >= 0 && sorted[place].low.equals(leaf.low)) {
            sorted[place] = leaf;
            return;
        }
        insert(place + 1, leaf);
    }

    private void insert(int place, Leaf leaf) {
        sorted = size < sorted.length ? sorted : Arrays.copyOf(sorted, 2 * size);
        System.arraycopy(sorted, place, sorted, place + 1, size - place);
        sorted[place] = leaf;
        size++;
    }

    /** Takes a leaf that may be out of order until {@link #sort}. */
    void append(Leaf leaf) {
        insert(size, leaf);
    }

    void sort() {
        Arrays.sort(sorted, 0, size, (one, other) -> Leaf.compare(one.low, other.low));
    }

    void remove(Leaf leaf) {
        int place = floor(leaf.low);
        System.arraycopy(sorted, place + 1, sorted, place, size - place - 1);
        sorted[--size] = null;
    }

    /** Returns all leaves of this moment. */
    List<Leaf> all() {
        return Collections.unmodifiableList(Arrays.asList(Arrays.copyOf(sorted, size)));
    }
}
