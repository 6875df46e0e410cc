package io.georep.flagons.core;

import io.georep.model.Slice;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The keys by position, with the sum of the hashes of their operations for each range: a tree that divides as ranges
 * do. What members compare is read from it, however many operations there are.
 */
final class KeyTree {
    /** A node with few keys is not divided. */
    private static final int LEAF_KEYS = 8;

    static final int SLICE_BITS = 6;

    /** In how many parts a range is compared. */
    static final int SLICES = 1 << SLICE_BITS;

    /** What there is in the slices of a range. */
    static final class Sums {
        final long[] hashes = new long[SLICES];
        final int[] counts = new int[SLICES];

        void add(int slice, long hash, int count) {
            hashes[slice] += hash;
            counts[slice] += count;
        }
    }

    private static final class Node {
        long sum;
        long youngSum;
        int count;
        Map<Slice, KeyHistory> keys = new LinkedHashMap<>();
        Node @Nullable [] halves;

        void add(long hash, long youngHash, int more) {
            sum += hash;
            youngSum += youngHash;
            count += more;
        }
    }

    private final Node root = new Node();

    /** Returns in which slice of a range a position is. */
    static int slice(Range range, long position) {
        return (int) ((position << range.depth()) >>> (Long.SIZE - SLICE_BITS));
    }

    private static int half(long position, int depth) {
        return (int) ((position << depth) >>> (Long.SIZE - 1));
    }

    @Nullable
    KeyHistory find(Slice key) {
        return leaf(FleetOperation.positionOf(key)).keys.get(key);
    }

    private Node leaf(long position) {
        Node node = root;
        for (int depth = 0; node.halves != null; depth++) {
            node = node.halves[half(position, depth)];
        }
        return node;
    }

    /** Returns the history of a key, which is counted next. */
    KeyHistory make(FleetOperation operation) {
        return leaf(operation.position())
                .keys
                .computeIfAbsent(operation.key(), key -> new KeyHistory(operation.position()));
    }

    /**
     * Adds to the sums of a key and of all ranges around it; a key without operations goes.
     *
     * @param hash of an operation
     * @param youngHash the same if the operation counts for comparisons of what is not old, else 0
     * @param more how many operations
     */
    void count(Slice key, KeyHistory history, long hash, long youngHash, int more) {
        history.sum += hash;
        history.youngSum += youngHash;
        Node node = root;
        int depth = 0;
        node.add(hash, youngHash, more);
        while (node.halves != null) {
            if (node.count == 0) {
                node.halves = null;
                return;
            }
            node = node.halves[half(history.position, depth++)];
            node.add(hash, youngHash, more);
        }
        if (history.size() == 0) {
            node.keys.remove(key);
        }
        divide(node, depth);
    }

    /** So many keys at one position are made on purpose: each page of them must not sort all of them. */
    private static void sort(Node node) {
        if (!(node.keys instanceof NavigableMap)) {
            Map<Slice, KeyHistory> sorted = new TreeMap<>(Page::compare);
            sorted.putAll(node.keys);
            node.keys = sorted;
        }
    }

    private static void divide(Node node, int depth) {
        if (node.keys.size() <= LEAF_KEYS) {
            return;
        }
        if (depth == Long.SIZE - 1) {
            sort(node);
            return;
        }
        Node[] halves = {new Node(), new Node()};
        node.keys.forEach((key, history) -> {
            Node half = halves[half(history.position, depth)];
            half.keys.put(key, history);
            half.add(history.sum, history.youngSum, history.size());
        });
        node.keys.clear();
        node.halves = halves;
        divide(halves[0], depth + 1);
        divide(halves[1], depth + 1);
    }

    /** Adds up the slices of a range: all, or what is not old. */
    Sums sums(Range range, boolean young) {
        Sums sums = new Sums();
        add(sums, range, young, below(range.start(), range.depth()), 0, 0);
        return sums;
    }

    /**
     * Adds what is below a node.
     *
     * @param bits how many bits of the number of the slice are known
     * @param prefix these bits
     */
    private static void add(Sums sums, Range range, boolean young, Node node, int bits, int prefix) {
        if (node.halves == null) {
            for (KeyHistory history : node.keys.values()) {
                if (range.has(history.position)) {
                    long hash = young ? history.youngSum : history.sum;
                    sums.add(slice(range, history.position), hash, history.size());
                }
            }
        } else if (bits == SLICE_BITS) {
            sums.add(prefix, young ? node.youngSum : node.sum, node.count);
        } else {
            add(sums, range, young, node.halves[0], bits + 1, prefix << 1);
            add(sums, range, young, node.halves[1], bits + 1, prefix << 1 | 1);
        }
    }

    /** Returns the deepest node that has all positions with these first bits. */
    private Node below(long start, int bits) {
        Node node = root;
        for (int depth = 0; depth < bits && node.halves != null; depth++) {
            node = node.halves[half(start, depth)];
        }
        return node;
    }

    /**
     * Calls for each key at a position or behind it, in the order of positions without a sign and of the bytes of keys, as long as the
     * action returns that it goes on; returns whether it does.
     *
     * @param after of the keys at this position only those behind this one
     */
    boolean inOrder(long from, Slice after, BiPredicate<Slice, Long> action) {
        return inOrder(root, 0, 0, new Begin(from, after), action);
    }

    /** Where to begin. */
    private record Begin(long from, Slice after) {
        boolean has(Map.Entry<Slice, KeyHistory> each) {
            int position = Long.compareUnsigned(each.getValue().position, from);
            return position > 0 || (position == 0 && Page.isBehind(each.getKey(), after));
        }
    }

    private static boolean inOrder(Node node, long start, int depth, Begin begin, BiPredicate<Slice, Long> action) {
        if (Long.compareUnsigned(start | (-1L >>> depth), begin.from) < 0) {
            return true;
        }
        if (node.halves != null) {
            return inOrder(node.halves[0], start, depth + 1, begin, action)
                    && inOrder(node.halves[1], start | 1L << (Long.SIZE - 1 - depth), depth + 1, begin, action);
        }
        if (node.keys instanceof NavigableMap<Slice, KeyHistory> sorted) {
            return inOrder(sorted, start, begin, action) && inOrder(sorted, start | 1, begin, action);
        }
        return node.keys.entrySet().stream()
                .filter(begin::has)
                .sorted((a, b) -> {
                    int position = Long.compareUnsigned(a.getValue().position, b.getValue().position);
                    return position != 0 ? position : Page.compare(a.getKey(), b.getKey());
                })
                .allMatch(each -> action.test(each.getKey(), each.getValue().position));
    }

    /** Goes through the keys of a leaf that has two positions only. */
    private static boolean inOrder(
            NavigableMap<Slice, KeyHistory> keys, long position, Begin begin, BiPredicate<Slice, Long> action) {
        if (Long.compareUnsigned(position, begin.from) < 0) {
            return true;
        }
        Map<Slice, KeyHistory> rest = position == begin.from ? keys.tailMap(begin.after, false) : keys;
        for (Map.Entry<Slice, KeyHistory> each : rest.entrySet()) {
            if (each.getValue().position == position && !action.test(each.getKey(), position)) {
                return false;
            }
        }
        return true;
    }

    /** Returns a slice of a range as a range. */
    static Range range(Range range, int slice) {
        int depth = range.depth() + SLICE_BITS;
        return new Range(depth, range.start() | (long) slice << (Long.SIZE - depth));
    }

    /** Calls for each key in a slice of a range, as long as the action returns that it goes on; returns whether it does. */
    boolean forEach(Range range, int slice, Predicate<KeyHistory> action) {
        int bits = range.depth() + SLICE_BITS;
        return forEach(
                below(range.start() | (long) slice << (Long.SIZE - bits), bits),
                history -> !range.has(history.position)
                        || slice(range, history.position) != slice
                        || action.test(history));
    }

    private static boolean forEach(Node node, Predicate<KeyHistory> action) {
        return node.keys.values().stream().allMatch(action)
                && (node.halves == null || (forEach(node.halves[0], action) && forEach(node.halves[1], action)));
    }
}
