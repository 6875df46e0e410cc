package io.georep.flagons.core;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The operations on the keys of a group. What a key has at some place in the order is computed from its operations up to
 * that place, so it does not matter in which order they came. Neither a look nor a comparison goes through all of them.
 */
final class OperationStore {
    private final FleetRules rules;
    private final TreeMap<OrderKey, Event> all = new TreeMap<>();
    private final KeyTree tree = new KeyTree();

    /** Of operations before it, only those that values are from are left. */
    private OrderKey cut = OrderKey.FIRST;

    /** Keys that have got operations before it since then. */
    private final Set<Slice> untrimmed = new LinkedHashSet<>();

    private final Outlet out;

    /** How many operations, keys and slices were gone through. */
    private long visited;

    OperationStore(FleetRules rules, Outlet out) {
        this.rules = rules;
        this.out = out;
    }

    int size() {
        return all.size();
    }

    long visited() {
        return visited;
    }

    boolean has(OrderKey key) {
        return all.containsKey(key);
    }

    @Nullable
    Event find(OrderKey key) {
        return all.get(key);
    }

    /** Adds an operation, and tells which others turn out differently. Returns whether it is new. */
    boolean add(Event event) {
        if (has(event.key())) {
            return false;
        }
        List<KeyHistory.Change> changes = insert(event);
        out.kept(event);
        changes.forEach(change -> out.overturned(change.event(), change.before(), change.after()));
        return true;
    }

    /** Adds an operation that is on disk. */
    void load(Event event) {
        if (!has(event.key())) {
            insert(event);
        }
    }

    private List<KeyHistory.Change> insert(Event event) {
        all.put(event.key(), event);
        if (event.key().compareTo(cut) < 0) {
            untrimmed.add(event.operation().key());
        }
        KeyHistory history = tree.make(event.operation());
        List<KeyHistory.Change> changes = history.add(event);
        count(event, history, 1);
        return changes;
    }

    private void count(Event event, KeyHistory history, int more) {
        long hash = more * event.key().hash();
        tree.count(event.operation().key(), history, hash, event.key().compareTo(cut) < 0 ? 0 : hash, more);
    }

    /** Returns what a key has for a look at a place. */
    KeyHistory.State look(Slice key, OrderKey at) {
        KeyHistory history = tree.find(key);
        return history == null ? KeyHistory.State.EMPTY : history.at(rules.visibleTo(at));
    }

    /** Returns what an operation that is here does at its place, or what a get finds there. */
    Outcome outcome(Event event) {
        FleetOperation operation = event.operation();
        if (!operation.changes()) {
            KeyHistory.State found = look(operation.key(), event.key());
            return new Outcome(Outcome.Status.FOUND, event.key(), found.value(), found.version());
        }
        KeyHistory history = tree.find(operation.key());
        Outcome outcome = history == null ? null : history.outcome(operation.request());
        return outcome == null ? Outcome.unsure() : outcome;
    }

    /** Calls for each key from a position on, in order, as {@link KeyTree#inOrder}. */
    void inOrder(long from, Slice after, BiPredicate<Slice, Long> action) {
        tree.inOrder(from, after, (key, position) -> {
            visited++;
            return action.test(key, position);
        });
    }

    /** Drops what is outside of a range. */
    void keepOnly(Range range) {
        List<Event> gone = new ArrayList<>(all.values());
        gone.removeIf(event -> range.has(event.operation().position()));
        Set<Slice> keys = new LinkedHashSet<>();
        gone.forEach(event -> keys.add(event.operation().key()));
        for (Slice key : keys) {
            KeyHistory history = tree.find(key);
            if (history != null) {
                removed(history, history.removeAll());
            }
        }
    }

    /** Of the operations before a place, keeps of each key only the one that its value is from. */
    void trim(OrderKey before) {
        Set<Slice> keys = new LinkedHashSet<>(untrimmed);
        untrimmed.clear();
        for (Event event : all.subMap(cut, true, before, false).values()) {
            Slice key = event.operation().key();
            keys.add(key);
            KeyHistory history = tree.find(key);
            if (history != null) {
                tree.count(key, history, 0, -event.key().hash(), 0);
            }
        }
        cut = before;
        for (Slice key : keys) {
            KeyHistory history = tree.find(key);
            if (history != null) {
                removed(history, history.trim(before));
            }
        }
    }

    private void removed(KeyHistory history, List<Event> gone) {
        for (Event event : gone) {
            all.remove(event.key());
            out.dropped(event);
            count(event, history, -1);
        }
    }

    /** Adds up the hashes of the slices of a range from one place to another. */
    KeyTree.Sums sums(Range range, OrderKey from, OrderKey bound) {
        if (from.compareTo(bound) > 0) {
            return new KeyTree.Sums();
        }
        boolean isAll = from.equals(OrderKey.FIRST);
        KeyTree.Sums sums = tree.sums(range, !isAll);
        visited += KeyTree.SLICES;
        if (!isAll && from.compareTo(cut) > 0) {
            add(sums, range, all.subMap(cut, true, from, false), -1);
        } else if (!isAll) {
            add(sums, range, all.subMap(from, true, cut, false), 1);
        }
        add(sums, range, all.tailMap(bound, false), -1);
        return sums;
    }

    private void add(KeyTree.Sums sums, Range range, NavigableMap<OrderKey, Event> events, int sign) {
        for (Event event : events.values()) {
            visited++;
            long position = event.operation().position();
            if (range.has(position)) {
                sums.add(KeyTree.slice(range, position), sign * event.key().hash(), sign);
            }
        }
    }

    /**
     * Calls for each operation in a slice of a range from one place to another, key by key, as long as the action returns that it goes on;
     * returns whether it does.
     */
    boolean forEach(Range range, int slice, OrderKey from, OrderKey bound, Predicate<Event> action) {
        return from.compareTo(bound) > 0
                || tree.forEach(range, slice, history -> {
                    visited++;
                    return history.forEach(from, bound, event -> {
                        visited++;
                        return action.test(event);
                    });
                });
    }
}
