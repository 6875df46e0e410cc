package io.georep.bench.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Who took over how many entries of the dead node, and when. Thread-safe. */
final class Takeovers {
    /**
     * One adopter.
     *
     * @param adopter its name
     * @param entries entries it took over
     * @param firstNanos when it took over the first
     * @param lastNanos when it took over the latest
     */
    record Share(String adopter, long entries, long firstNanos, long lastNanos) {}

    private final Map<String, Share> shares = new TreeMap<>();
    private long total;

    /** An entry was adopted; returns whether it was the first of this adopter. */
    synchronized boolean adopted(String adopter, long nowNanos) {
        Share before = shares.get(adopter);
        total++;
        shares.put(
                adopter,
                before == null
                        ? new Share(adopter, 1, nowNanos, nowNanos)
                        : new Share(adopter, before.entries() + 1, before.firstNanos(), nowNanos));
        return before == null;
    }

    synchronized long total() {
        return total;
    }

    /** All adopters in the order of their names. */
    synchronized List<Share> shares() {
        return new ArrayList<>(shares.values());
    }
}
