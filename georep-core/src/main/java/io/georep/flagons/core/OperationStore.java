package io.georep.flagons.core;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The operations on the keys of a group. What a key has at some place in the order is computed from its operations up to
 * that place, so it does not matter in which order they came.
 */
final class OperationStore {
    /** What a key has at a place. */
    record State(@Nullable Slice value, OrderKey version) {
        static final State EMPTY = new State(null, OrderKey.FIRST);
    }

    private final Rules rules;
    private final TreeMap<OrderKey, Event> all = new TreeMap<>();
    private final Map<Slice, TreeMap<OrderKey, Event>> byKey = new HashMap<>();

    private final Outlet out;

    OperationStore(Rules rules, Outlet out) {
        this.rules = rules;
        this.out = out;
    }

    int size() {
        return all.size();
    }

    boolean has(OrderKey key) {
        return all.containsKey(key);
    }

    @Nullable
    Event find(OrderKey key) {
        return all.get(key);
    }

    /** Adds an operation; returns whether it is new. */
    boolean add(Event event) {
        boolean isNew = load(event);
        if (isNew) {
            out.kept(event);
        }
        return isNew;
    }

    /** Adds an operation that is on disk. */
    boolean load(Event event) {
        if (all.putIfAbsent(event.key(), event) != null) {
            return false;
        }
        byKey.computeIfAbsent(event.operation().key(), key -> new TreeMap<>()).put(event.key(), event);
        return true;
    }

    /** Returns whether no operation on the same key has a later place. */
    boolean isNewest(Event event) {
        NavigableMap<OrderKey, Event> operations = operations(event.operation().key());
        return operations.isEmpty() || operations.lastKey().compareTo(event.key()) < 0;
    }

    /** Returns what a key has for a look at a place. */
    State look(Slice key, OrderKey at) {
        State state = State.EMPTY;
        Set<RequestId> seen = new HashSet<>();
        for (Event event : operations(key).values()) {
            if (rules.isVisible(event.key(), at) && seen.add(event.operation().request())) {
                state = after(state, event);
            }
        }
        return state;
    }

    private NavigableMap<OrderKey, Event> operations(Slice key) {
        TreeMap<OrderKey, Event> operations = byKey.get(key);
        return operations == null ? new TreeMap<>() : operations;
    }

    private static State after(State before, Event event) {
        return switch (event.operation().kind()) {
            case PUT -> new State(event.operation().value(), event.key());
            case PUT_IF_ABSENT ->
                before.value() == null ? new State(event.operation().value(), event.key()) : before;
            case REMOVE -> new State(null, event.key());
            case GET -> before;
        };
    }

    /** Returns what an operation that is here does at its place, or what a get finds there. */
    Outcome outcome(Event event) {
        if (!event.operation().changes()) {
            State found = look(event.operation().key(), event.key());
            return new Outcome(Outcome.Status.FOUND, event.key(), found.value(), found.version());
        }
        Outcome outcome = outcomes(event.operation().key()).get(event.key());
        return outcome == null ? Outcome.unsure() : outcome;
    }

    /** Returns the outcomes of all operations on a key, in order. A request takes effect at its first place only. */
    Map<OrderKey, Outcome> outcomes(Slice key) {
        Map<OrderKey, Outcome> outcomes = new LinkedHashMap<>();
        Map<RequestId, Outcome> first = new HashMap<>();
        State state = State.EMPTY;
        for (Event event : operations(key).values()) {
            RequestId request = event.operation().request();
            Outcome earlier = first.get(request);
            if (earlier != null) {
                outcomes.put(event.key(), earlier);
                continue;
            }
            State next = after(state, event);
            boolean applied = next.version().equals(event.key());
            Outcome outcome = new Outcome(
                    applied ? Outcome.Status.APPLIED : Outcome.Status.NOT_APPLIED,
                    event.key(),
                    state.value(),
                    state.version());
            first.put(request, outcome);
            outcomes.put(event.key(), outcome);
            state = next;
        }
        return outcomes;
    }

    /** Drops what is outside of a range. */
    void keepOnly(Range range) {
        List<Event> gone = new ArrayList<>(all.values());
        gone.removeIf(event -> range.has(event.operation().position()));
        gone.forEach(this::remove);
    }

    /** Of the operations before a place, keeps of each key only the one that its value is from. */
    void trim(OrderKey before) {
        List<Event> gone = new ArrayList<>();
        for (Event event : all.headMap(before, false).values()) {
            Slice key = event.operation().key();
            if (!look(key, before).version().equals(event.key())
                    || event.operation().value() == null) {
                gone.add(event);
            }
        }
        gone.forEach(this::remove);
    }

    private void remove(Event event) {
        Slice key = event.operation().key();
        all.remove(event.key());
        out.dropped(event);
        TreeMap<OrderKey, Event> operations = byKey.get(key);
        if (operations != null) {
            operations.remove(event.key());
            if (operations.isEmpty()) {
                byKey.remove(key);
            }
        }
    }

    /** Calls for each operation in a range from one place to another. */
    void forEach(Range range, OrderKey from, OrderKey bound, Consumer<Event> action) {
        if (from.compareTo(bound) > 0) {
            return;
        }
        for (Event event : all.subMap(from, true, bound, true).values()) {
            if (range.has(event.operation().position())) {
                action.accept(event);
            }
        }
    }
}
