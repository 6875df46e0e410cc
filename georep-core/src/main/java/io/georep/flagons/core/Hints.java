package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The events that others say they have heard of and this node lacks. Most come by themselves; it asks for the others. */
final class Hints {
    private static final int WANTED_MAX = 4096;

    /** So many that the same node was the first to name: who makes names up leaves room for those of others. */
    private static final int FIRST_MAX = WANTED_MAX / 4;

    private static final int SOURCES_MAX = 4;

    /** In rounds: time for an event to come by itself, and for an answer. */
    private static final int PATIENCE = 1;

    private static final int TRIES = 6;

    private static final class Wanted {
        final String first;
        final List<String> sources = new ArrayList<>();
        int rounds = PATIENCE - 1;
        int tries;

        Wanted(String first) {
            this.first = first;
        }
    }

    private final Map<Long, Wanted> wanted = new LinkedHashMap<>();

    /** By who was the first to name them. */
    private final Map<String, Integer> first = new HashMap<>();

    /**
     * Takes the word of a node that it has heard of an event which this one lacks.
     *
     * @param source address at which to ask for it
     * @param from who says so
     */
    void heard(long event, String source, String from) {
        Wanted its = wanted.get(event);
        if (its == null && wanted.size() < WANTED_MAX && first.getOrDefault(from, 0) < FIRST_MAX) {
            its = new Wanted(from);
            wanted.put(event, its);
            first.merge(from, 1, Integer::sum);
        }
        if (its != null && its.sources.size() < SOURCES_MAX && !its.sources.contains(source)) {
            its.sources.add(source);
        }
    }

    /** The event has come. */
    void came(long event) {
        gone(wanted.remove(event));
    }

    private void gone(@Nullable Wanted its) {
        if (its != null) {
            first.computeIfPresent(its.first, (from, count) -> count > 1 ? count - 1 : null);
        }
    }

    /** Returns whom to ask for what in this round. */
    Map<String, List<Long>> ask() {
        Map<String, List<Long>> asks = new LinkedHashMap<>();
        for (Iterator<Map.Entry<Long, Wanted>> all = wanted.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Long, Wanted> entry = all.next();
            Wanted its = entry.getValue();
            if (its.rounds-- > 0) {
                continue;
            }
            if (its.tries == TRIES) {
                all.remove();
                gone(its);
                continue;
            }
            String from = its.sources.get(its.tries++ % its.sources.size());
            its.rounds = PATIENCE;
            asks.computeIfAbsent(from, address -> new ArrayList<>()).add(entry.getKey());
        }
        return asks;
    }
}
