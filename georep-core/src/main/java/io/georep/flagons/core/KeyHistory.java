package io.georep.flagons.core;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The operations on one key with what each leaves behind, so that a look at any place takes one step. An operation that
 * comes late changes what those behind it leave, mostly of one of them only.
 */
final class KeyHistory {
    /** What a key has at a place. */
    record State(@Nullable Slice value, OrderKey version) {
        static final State EMPTY = new State(null, OrderKey.FIRST);
    }

    /** An operation and what it leaves. */
    private static final class Step {
        final Event event;
        State after = State.EMPTY;

        Step(Event event) {
            this.event = event;
        }
    }

    /** An operation that has another outcome than before. */
    record Change(Event event, Outcome before, Outcome after) {}

    final long position;

    /** Sum of the hashes of all places, and of those that others compare when old ones were dropped. */
    long sum;

    long youngSum;
    private final TreeMap<OrderKey, Step> steps = new TreeMap<>();

    /** The place at which a request takes effect. */
    private final Map<RequestId, OrderKey> first = new HashMap<>();

    /** Its other places, which few requests have. */
    private final Map<RequestId, TreeSet<OrderKey>> again = new HashMap<>();

    KeyHistory(long position) {
        this.position = position;
    }

    int size() {
        return steps.size();
    }

    /** Returns what the key has at a place. */
    State at(OrderKey place) {
        return stateOf(steps.floorEntry(place));
    }

    private static State stateOf(Map.@Nullable Entry<OrderKey, Step> entry) {
        return entry == null ? State.EMPTY : entry.getValue().after;
    }

    /** Returns what has become of a request that is here; null if it is not. */
    @Nullable
    Outcome outcome(RequestId request) {
        OrderKey place = first.get(request);
        if (place == null) {
            return null;
        }
        return outcome(place, stateOf(steps.lowerEntry(place)), stateOf(steps.floorEntry(place)));
    }

    private static Outcome outcome(OrderKey place, State before, State after) {
        boolean applied = after.version().equals(place);
        return new Outcome(
                applied ? Outcome.Status.APPLIED : Outcome.Status.NOT_APPLIED, place, before.value(), before.version());
    }

    /** Adds an operation; returns which others turn out differently. */
    List<Change> add(Event event) {
        OrderKey place = event.key();
        RequestId request = event.operation().request();
        Map<RequestId, Outcome> told = new LinkedHashMap<>();
        Outcome before = outcome(request);
        steps.put(place, new Step(event));
        OrderKey until = place;
        if (before == null) {
            first.put(request, place);
        } else if (before.place().compareTo(place) < 0) {
            again.computeIfAbsent(request, any -> new TreeSet<>()).add(place);
        } else {
            until = before.place();
            told.put(request, before);
            first.put(request, place);
            again.computeIfAbsent(request, any -> new TreeSet<>()).add(until);
        }
        refresh(place, until, told);
        return changes(told, place);
    }

    private List<Change> changes(Map<RequestId, Outcome> told, OrderKey added) {
        List<Change> changes = new ArrayList<>();
        told.forEach((request, before) -> {
            Outcome after = outcome(request);
            if (after == null || after.status() == before.status()) {
                return;
            }
            for (OrderKey place : placesOf(request)) {
                Step step = steps.get(place);
                if (step != null && !place.equals(added)) {
                    changes.add(new Change(step.event, before, after));
                }
            }
        });
        return changes;
    }

    private List<OrderKey> placesOf(RequestId request) {
        List<OrderKey> places = new ArrayList<>(again.getOrDefault(request, new TreeSet<>()));
        places.add(first.getOrDefault(request, OrderKey.FIRST));
        return places;
    }

    /**
     * Computes again what operations leave, until nothing changes any more.
     *
     * @param from the first that may have changed
     * @param until the last that may have changed by itself
     * @param told takes what requests behind the first were told before
     */
    private void refresh(OrderKey from, OrderKey until, Map<RequestId, Outcome> told) {
        State state = stateOf(steps.lowerEntry(from));
        State old = state;
        for (Map.Entry<OrderKey, Step> entry : steps.tailMap(from, true).entrySet()) {
            OrderKey place = entry.getKey();
            Step step = entry.getValue();
            RequestId request = step.event.operation().request();
            boolean counts = place.equals(first.get(request));
            State next = counts ? after(state, step.event) : state;
            if (!place.equals(from)) {
                if (counts) {
                    told.putIfAbsent(request, outcome(place, old, step.after));
                }
                old = step.after;
            }
            boolean isSame = next.equals(step.after);
            step.after = next;
            state = next;
            if (isSame && place.compareTo(until) > 0) {
                return;
            }
        }
    }

    private static State after(State before, Event event) {
        return switch (event.operation().kind()) {
            case PUT -> new State(event.operation().value(), event.key());
            case PUT_IF_ABSENT ->
                before.value() == null ? new State(event.operation().value(), event.key()) : before;
            case REMOVE -> new State(null, event.key());
            case GET, LIST -> before;
        };
    }

    /** Of the operations before a place, keeps only the one that the value there is from; returns the others. */
    List<Event> trim(OrderKey before) {
        NavigableMap<OrderKey, Step> old = steps.headMap(before, false);
        State base = stateOf(old.lastEntry());
        List<Event> gone = new ArrayList<>();
        for (Step step : old.values()) {
            if (base.value() == null || !base.version().equals(step.event.key())) {
                gone.add(step.event);
            }
        }
        OrderKey until = OrderKey.FIRST;
        for (Event event : gone) {
            steps.remove(event.key());
            until = OrderKey.max(until, forget(event));
        }
        if (!gone.isEmpty() && !steps.isEmpty()) {
            refresh(steps.firstKey(), OrderKey.max(until, before), new HashMap<>());
        }
        return gone;
    }

    /** Drops everything. */
    List<Event> removeAll() {
        List<Event> gone = new ArrayList<>();
        steps.values().forEach(step -> gone.add(step.event));
        steps.clear();
        first.clear();
        again.clear();
        return gone;
    }

    /** Forgets a place of a request; returns the one at which it takes effect now, if that is another. */
    private OrderKey forget(Event event) {
        RequestId request = event.operation().request();
        TreeSet<OrderKey> others = again.get(request);
        OrderKey next = OrderKey.FIRST;
        if (event.key().equals(first.get(request))) {
            if (others == null) {
                first.remove(request);
            } else {
                next = others.first();
                first.put(request, next);
                others.remove(next);
            }
        } else if (others != null) {
            others.remove(event.key());
        }
        if (others != null && others.isEmpty()) {
            again.remove(request);
        }
        return next;
    }

    /** Calls for each operation from one place to another, in order, as {@link KeyTree#forEach}. */
    boolean forEach(OrderKey from, OrderKey bound, Predicate<Event> action) {
        return steps.subMap(from, true, bound, true).values().stream().allMatch(step -> action.test(step.event));
    }
}
