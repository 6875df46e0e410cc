package io.georep.geopaxos.core.placement;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decides for many objects as the paper does, for its figures; {@link CostModel#choose} alone is quicker where few sites are
 * busy. It remembers its last decisions by {@link WorkloadKey} and always decides from the key, not from the counts: so what it
 * remembers makes a decision quicker and never changes it.
 */
public final class Optimiser {
    private final CostModel model;
    private final int hotPercent;
    private final Map<WorkloadKey, Integer> decided;
    private long hits;

    /**
     * An optimiser that remembers nothing yet. Other delays need another optimiser.
     *
     * @param hotPercent as for {@link CostModel#best}
     * @param capacity decisions to remember, those used last
     */
    public Optimiser(CostModel model, int hotPercent, int capacity) {
        this.model = model;
        this.hotPercent = hotPercent;
        decided = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<WorkloadKey, Integer> eldest) {
                return size() > capacity;
            }
        };
    }

    /** Returns the serializers that suit the counts; the present ones as in {@link CostModel#choose}. */
    public int choose(SiteCounts counts, int present) {
        if (counts.isEmpty()) {
            return present;
        }
        WorkloadKey key = WorkloadKey.of(counts);
        Integer known = decided.get(key);
        if (known != null) {
            hits++;
        } else {
            known = model.best(key.counts(), hotPercent);
            decided.put(key, known);
        }
        return model.cheaper(known, present, counts);
    }

    /** Returns how many decisions were remembered ones. */
    public long hits() {
        return hits;
    }
}
