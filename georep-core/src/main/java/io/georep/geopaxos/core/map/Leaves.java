package io.georep.geopaxos.core.map;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.execution.Service.Births;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All leaves by their lower bounds, and which of them are to be split, joined, or cleared of expired entries. */
final class Leaves {
    /** When the first entry of a leaf expires. */
    private record Due(long time, long leaf) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int byTime = Long.compare(time, other.time);
            return byTime != 0 ? byTime : Long.compare(leaf, other.leaf);
        }
    }

    /** The most bytes of keys of expired entries whose removal is proposed at one time. */
    static final int EXPIRED_BYTES = 64 << 10;

    private final LeafOrder order = new LeafOrder();
    private final Map<Long, Leaf> byNumber = new HashMap<>();

    /** Leaves with more entries than the capacity. */
    private final TreeSet<Long> crowded = new TreeSet<>();

    /** Leaves with so few entries that they may fit into a neighbour. */
    private final TreeSet<Long> sparse = new TreeSet<>();

    private final TreeSet<Due> due = new TreeSet<>();

    private long entries;

    private long bytes;

    /** The last key that was looked for, which is looked for again, and its leaf: null once leaves have changed. */
    private Slice sought = Slice.EMPTY;

    private @Nullable Leaf found;

    /** The place of that leaf. */
    private int foundPlace;

    Leaves() {
        add(Leaf.first());
    }

    @SuppressWarnings("ReferenceEquality") // equal keys are looked for again, which does no harm
    Leaf of(Slice key) {
        Leaf known = found;
        if (known == null || key != sought) {
            foundPlace = order.floor(key);
            known = order.get(foundPlace);
            sought = key;
            found = known;
        }
        return known;
    }

    @Nullable
    Leaf numbered(long number) {
        return byNumber.get(number);
    }

    /** Returns the leaf of a key, for any thread: see {@link LeafOrder}. */
    @Nullable
    Leaf find(byte[] begin, byte[] rest) {
        return order.find(begin, rest);
    }

    /** Returns the leaf with the largest keys before this one; the last leaf if null. */
    Leaf before(@Nullable Slice end) {
        if (end == null) {
            return order.get(order.size() - 1);
        }
        int place = order.floor(end);
        boolean isBound = place > 0 && order.get(place).low.equals(end);
        return order.get(isBound ? place - 1 : Math.max(0, place));
    }

    @Nullable
    Leaf next(Leaf leaf) {
        int place = order.floor(leaf.low) + 1;
        return place < order.size() ? order.get(place) : null;
    }

    @Nullable
    Leaf previous(Leaf leaf) {
        int place = order.floor(leaf.low) - 1;
        return place < 0 ? null : order.get(place);
    }

    /** Tells the leaves from that of a key on, until it is told to stop. */
    void walk(Slice from, Service.Walk walk) {
        int place = order.floor(from);
        while (place < order.size()
                && walk.at(
                        order.get(place).number,
                        order.get(place).low,
                        order.get(place).size())) {
            place++;
        }
    }

    /** Returns how many entries there are. */
    long entries() {
        return entries;
    }

    /** Returns how many bytes their keys and values have. */
    long bytes() {
        return bytes;
    }

    /** Takes another version of a leaf in its place, with the same lower bound. */
    @SuppressWarnings("ReferenceEquality") // that one is there
    void replace(Leaf former, Leaf by) {
        if (former == found) {
            order.set(foundPlace, by);
        } else {
            order.put(by);
        }
        found = null;
        byNumber.put(by.number, by);
        forget(former);
        lookAfter(by);
    }

    /** Splits a leaf. */
    void divide(Leaf leaf, int parts) {
        drop(leaf);
        leaf.divided(parts).forEach(this::add);
    }

    /** Joins two neighbours under the number of the first. */
    void join(Leaf leaf, Leaf next) {
        drop(next);
        replace(leaf, leaf.joined(next));
    }

    private void add(Leaf leaf) {
        found = null;
        order.put(leaf);
        number(leaf);
    }

    private void number(Leaf leaf) {
        if (byNumber.put(leaf.number, leaf) != null) {
            throw new IllegalStateException("two leaves have the number " + leaf.number);
        }
        lookAfter(leaf);
    }

    private void lookAfter(Leaf leaf) {
        entries += leaf.size();
        bytes += leaf.bytes;
        if (leaf.size() > Leaf.CAPACITY) {
            crowded.add(leaf.number);
        } else if (leaf.isSparse()) {
            sparse.add(leaf.number);
        }
        if (leaf.earliest > 0) {
            due.add(new Due(leaf.earliest, leaf.number));
        }
    }

    private void drop(Leaf leaf) {
        found = null;
        order.remove(leaf);
        byNumber.remove(leaf.number);
        forget(leaf);
    }

    private void forget(Leaf leaf) {
        entries -= leaf.size();
        bytes -= leaf.bytes;
        crowded.remove(leaf.number);
        sparse.remove(leaf.number);
        if (leaf.earliest > 0) {
            due.remove(new Due(leaf.earliest, leaf.number));
        }
    }

    /** Returns whether any entry expires. */
    boolean hasMortals() {
        return !due.isEmpty();
    }

    /** Tells of removals of entries that have expired, one for a leaf: at most so many, and as many as are soon sent. */
    void expired(long time, int most, Consumer<MapOperation> wanted) {
        int found = 0;
        int bytesFound = 0;
        for (Due each : due) {
            if (each.time > time || ++found > most || bytesFound > EXPIRED_BYTES) {
                return;
            }
            List<Slice> keys = expired(present(each.leaf), time);
            bytesFound += keys.stream().mapToInt(Slice::length).sum();
            wanted.accept(new MapOperation.Expire(time, keys));
        }
    }

    /** Tells of divisions and joins of leaves of the same groups that should be ordered, one for a leaf, at most so many of a kind. */
    void upkeep(int most, Births births, Consumer<MapOperation> wanted) {
        crowded.stream().limit(most).forEach(leaf -> wanted.accept(present(leaf).split()));
        int joins = 0;
        for (Iterator<Long> each = sparse.iterator(); each.hasNext() && joins < most; ) {
            MapOperation.Merge merge = joinable(each.next(), births);
            if (merge == null) {
                // This leaf is looked at again when it changes; if a neighbour becomes sparse, the neighbour is looked
                // at.
                each.remove();
            } else {
                joins++;
                wanted.accept(merge);
            }
        }
    }

    private Leaf present(long number) {
        return Objects.requireNonNull(byNumber.get(number));
    }

    private MapOperation.@Nullable Merge joinable(long number, Births births) {
        Leaf leaf = present(number);
        Leaf next = next(leaf);
        if (next != null && fit(leaf, next) && births.alike(number, next.number)) {
            return new MapOperation.Merge(number, next.number);
        }
        Leaf previous = previous(leaf);
        return previous != null && fit(previous, leaf) && births.alike(previous.number, number)
                ? new MapOperation.Merge(previous.number, number)
                : null;
    }

    /** Returns whether two neighbours should be one: if both are sparse, or one is empty. */
    static boolean fit(Leaf leaf, Leaf next) {
        return leaf.size() == 0 || next.size() == 0 || (leaf.isSparse() && next.isSparse());
    }

    private static List<Slice> expired(Leaf leaf, long time) {
        List<Slice> keys = new ArrayList<>();
        for (int place = 0; place < leaf.size() && keys.size() < MapOperation.KEYS_MAX; place++) {
            if (leaf.expiresAt(place) > 0 && leaf.expiresAt(place) <= time) {
                keys.add(leaf.key(place));
            }
        }
        return keys;
    }

    /** Returns all leaves in order, as they are now. */
    List<Leaf> all() {
        return order.all();
    }

    /** Returns what all leaves contain, as they are now. */
    Iterator<Service.Content> contents() {
        return all().stream()
                .map(leaf -> new Service.Content(leaf.number, leaf.content()))
                .iterator();
    }

    /** No leaves yet. */
    static Leaves none() {
        Leaves leaves = new Leaves();
        leaves.drop(leaves.before(null));
        return leaves;
    }

    /** Reads a leaf. */
    void load(long number, Slice content) {
        BinReader in = new BinReader(content);
        Leaf leaf = Leaf.read(in);
        if (leaf.number != number || in.hasMore() || byNumber.containsKey(number)) {
            throw new MalformedException("a second leaf, or not one: " + leaf);
        }
        order.append(leaf);
        number(leaf);
    }

    /** Sorts what was loaded, and checks that the leaves have each key in one of them. */
    void check() {
        order.sort();
        if (order.size() == 0 || order.get(0).low.length() > 0) {
            throw new MalformedException("no first leaf");
        }
        Leaf last = null;
        for (Leaf leaf : all()) {
            if (last != null && last.isNotBefore(leaf)) {
                throw new MalformedException("leaves are not in order");
            }
            last = leaf;
        }
    }
}
