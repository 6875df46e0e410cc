package io.georep.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Which circumstances the wings of one run have met: a trouble or a circumstance counts for a wing if an operation of its
 * clients succeeded afterwards, so that it was at work.
 */
final class Coverage {
    /** The wing that is always there. */
    static final String OUTBOX = "outbox";

    private final Map<String, LongSupplier> wings = new LinkedHashMap<>();

    /** How many operations of each wing had succeeded when it was met last. */
    private final Map<Enum<?>, List<Long>> met = new LinkedHashMap<>();

    /** A wing is there, of which so many operations have succeeded. */
    void wing(String name, LongSupplier successes) {
        wings.put(name, successes);
    }

    /** Something happens, or is so from the beginning. Of many times the first counts. */
    void met(Enum<?> circumstance) {
        met.computeIfAbsent(
                circumstance,
                first -> wings.values().stream().map(LongSupplier::getAsLong).toList());
    }

    @Override
    public String toString() {
        return met.keySet().toString();
    }

    /** Runs in which a wing has met a circumstance, by circumstance and wing. */
    static final class Total {
        private final Map<String, Map<String, Integer>> runs = new TreeMap<>();
        private final Set<String> wings = new LinkedHashSet<>();

        /** Adds a run that is over. */
        synchronized void add(Coverage run) {
            wings.addAll(run.wings.keySet());
            run.met.forEach((circumstance, before) -> {
                List<String> names = new ArrayList<>(run.wings.keySet());
                for (int i = 0; i < names.size(); i++) {
                    if (run.wings.get(names.get(i)).getAsLong() > before.get(i)) {
                        runs.computeIfAbsent(circumstance.name(), none -> new TreeMap<>())
                                .merge(names.get(i), 1, Integer::sum);
                    }
                }
            });
        }

        /** Adds other runs. */
        synchronized void add(Total others) {
            wings.addAll(others.wings);
            others.runs.forEach((circumstance, met) -> {
                Map<String, Integer> own = runs.computeIfAbsent(circumstance, none -> new TreeMap<>());
                met.forEach((wing, count) -> own.merge(wing, count, Integer::sum));
            });
        }

        /** All wings of these runs. */
        synchronized List<String> wings() {
            return List.copyOf(wings);
        }

        /** In how many runs a wing has met a circumstance. */
        synchronized int runs(Enum<?> circumstance, String wing) {
            return runs.getOrDefault(circumstance.name(), Map.of()).getOrDefault(wing, 0);
        }
    }
}
