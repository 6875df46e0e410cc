package io.georep.geopaxos.core.placement;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/** Who uses which objects, of those used last. Nothing here looks at objects that nobody has used since the last decision. */
public final class UsageTable {
    /** An object with so many operations loses half of its counts: what was long ago counts less and less. */
    static final int FADES_AT = 1024;

    private final int sites;
    private final TreeSet<Long> touched = new TreeSet<>();
    private final Map<Long, SiteCounts> counts;

    /**
     * An empty table.
     *
     * @param most objects; the one that was not used for longest makes room
     */
    public UsageTable(int sites, int most) {
        this.sites = sites;
        counts = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, SiteCounts> eldest) {
                boolean isFull = size() > most;
                if (isFull) {
                    touched.remove(eldest.getKey());
                }
                return isFull;
            }
        };
    }

    /** Somebody at a site has used an object. */
    public void count(long object, int site, int reads, int writes) {
        SiteCounts known =
                counts.computeIfAbsent(object, unknown -> new SiteCounts(sites)).add(site, reads, writes);
        touched.add(object);
        while (known.sum() > FADES_AT) {
            known.split();
        }
    }

    /** Returns the objects that were used since it was asked last, in the order of their numbers. */
    public List<Long> takeTouched() {
        List<Long> taken = List.copyOf(touched);
        touched.clear();
        return taken;
    }

    /** Returns the counts of an object in the table. */
    public SiteCounts of(long object) {
        return Objects.requireNonNull(counts.get(object), "not in the table");
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
