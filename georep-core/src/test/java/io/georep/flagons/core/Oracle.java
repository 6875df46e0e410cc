package io.georep.flagons.core;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What operations give, looked up from the end of a list of all of them. It has nothing in common with {@link
 * OperationStore}, which nodes use, so an error there does not hide itself.
 */
final class Oracle {
    private final Map<Slice, List<Event>> byKey = new HashMap<>();
    private final Map<OrderKey, Boolean> effects = new HashMap<>();

    /** Takes all events that change something. */
    Oracle(List<Event> events) {
        Set<RequestId> seen = new HashSet<>();
        events.stream().sorted(Comparator.comparing(Event::key)).forEach(event -> {
            if (seen.add(event.operation().request())) {
                byKey.computeIfAbsent(event.operation().key(), key -> new ArrayList<>())
                        .add(event);
            }
        });
    }

    /** Returns the operation that a key's value at a place is from, or that removed it; null if there is none. */
    Event writer(Slice key, OrderKey at, Predicate<Event> counts) {
        List<Event> events = byKey.getOrDefault(key, List.of());
        for (int i = events.size() - 1; i >= 0; i--) {
            Event event = events.get(i);
            if (event.key().compareTo(at) <= 0 && counts.test(event) && hasEffect(event)) {
                return event;
            }
        }
        return null;
    }

    /** Returns whether an operation at its first place does something: only a claim may not. */
    boolean hasEffect(Event event) {
        if (event.operation().kind() != FleetOperation.Kind.PUT_IF_ABSENT) {
            return true;
        }
        Boolean known = effects.get(event.key());
        if (known == null) {
            known = value(before(event)) == null;
            effects.put(event.key(), known);
        }
        return known;
    }

    /** Returns what an operation found. */
    Event before(Event event) {
        OrderKey place = event.key();
        return writer(event.operation().key(), place, each -> each.key().compareTo(place) < 0);
    }

    /** Returns the operation of a request that counts. */
    Event first(FleetOperation operation) {
        return byKey.getOrDefault(operation.key(), List.of()).stream()
                .filter(each -> each.operation().request().equals(operation.request()))
                .findFirst()
                .orElse(null);
    }

    static Slice value(Event writer) {
        return writer == null ? null : writer.operation().value();
    }

    static OrderKey version(Event writer) {
        return writer == null ? OrderKey.FIRST : writer.key();
    }
}
