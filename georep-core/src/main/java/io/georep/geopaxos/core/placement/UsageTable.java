package io.georep.geopaxos.core.placement;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Counts which sites use the objects that were used last. Nothing here looks at objects that were not used since the last
 * decision.
 */
public final class UsageTable {
    /** An object with so many operations loses half of its counts: what was long ago counts less and less. */
    static final int FADES_AT = 1024;

    private final int sites;
    /** In the order in which they were used first since they were looked at. */
    private final LinkedHashSet<Long> touched = new LinkedHashSet<>();

    private final Map<Long, SiteCounts> counts;

    /**
     * An empty table.
     *
     * @param objectsMax the one that was not used for longest makes room
     */
    public UsageTable(int sites, int objectsMax) {
        this.sites = sites;
        counts = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, SiteCounts> eldest) {
                boolean isFull = size() > objectsMax;
                if (isFull) {
                    touched.remove(eldest.getKey());
                }
                return isFull;
            }
        };
    }

    /** Counts uses of an object by a site. */
    public void count(long object, int site, int reads, int writes) {
        counts.computeIfAbsent(object, unknown -> new SiteCounts(sites)).add(site, reads, writes);
        touched.add(object);
    }

    /** Returns objects that were used since they were looked at last, at most so many. Those that are left come first the next time. */
    public List<Long> takeTouched(int most) {
        List<Long> taken = touched.stream().limit(most).toList();
        taken.forEach(touched::remove);
        taken.forEach(object -> fade(of(object)));
        return taken;
    }

    /** Called when an object is looked at, not when it is used: within one period all uses count alike. */
    private static void fade(SiteCounts known) {
        while (known.sum() > FADES_AT) {
            known.split();
        }
    }

    /** Forgets everything. */
    public void clear() {
        counts.clear();
        touched.clear();
    }

    /** Returns the counts of an object in the table. */
    public SiteCounts of(long object) {
        return Objects.requireNonNull(counts.get(object), "not in the table");
    }

    /** Returns the counts of an object; null if it is not in the table. */
    public @Nullable SiteCounts known(long object) {
        return counts.get(object);
    }

    /** An object is gone, or begins anew. */
    public void forget(long object) {
        counts.remove(object);
        touched.remove(object);
    }

    /** Returns how many objects are in the table. */
    public int size() {
        return counts.size();
    }
}
