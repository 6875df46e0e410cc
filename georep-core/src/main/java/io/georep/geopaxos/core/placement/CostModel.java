package io.georep.geopaxos.core.placement;

/**
 * The cost of every set of serializers, and the cheapest one. With the counts r and w of each site g and the delays d:
 *
 * <pre>
 * cost(P) = sum over g of  w(g) * (W(P) + d(g, P))  +  r(g) * d(g, P)
 * W(P)    = the longest delay between two members of P, and the longest round of a member: what a write waits for
 * d(g, P) = the shortest delay from g to a member of P
 * </pre>
 *
 * <p>What depends on the delays only is computed once, for all sets. Among sets of the same cost the one with fewer members
 * wins, then the one whose sorted members come first. Arithmetic is exact: see {@link #DELAY_MICROS_MAX}.
 */
public final class CostModel {
    /** The most sites: there are two to this power sets to look at. */
    public static final int SITES_MAX = 12;

    /** Microseconds: with {@link SiteCounts#MAX} and {@link #SITES_MAX} no cost exceeds a {@code long}. */
    public static final int DELAY_MICROS_MAX = 60_000_000;

    private final int sites;

    /** W of each set. */
    private final int[] spread;

    /** The delay to the nearest member of each set, from each site. */
    private final int[][] nearest;

    /**
     * A model for given delays, as in the paper: what a group takes to decide counts for nothing.
     *
     * @param delays from each site to each site, in microseconds
     */
    public CostModel(int[][] delays) {
        this(delays, new int[delays.length]);
    }

    /**
     * A model for given delays.
     *
     * @param delays from each site to each site, in microseconds
     * @param rounds what each serializer takes to decide, in microseconds, at most {@link #DELAY_MICROS_MAX}
     */
    public CostModel(int[][] delays, int[] rounds) {
        sites = delays.length;
        if (sites < 1 || sites > SITES_MAX) {
            throw new IllegalArgumentException(sites + " sites: 1 to " + SITES_MAX + " can be placed");
        }
        check(delays);
        spread = new int[1 << sites];
        int[] round = new int[1 << sites];
        nearest = new int[1 << sites][sites];
        for (int set = 1; set < spread.length; set++) {
            int member = Integer.numberOfTrailingZeros(set);
            int others = set & (set - 1);
            spread[set] = spread[others];
            round[set] = Math.max(round[others], rounds[member]);
            for (int site = 0; site < sites; site++) {
                int delay = delays[site][member];
                nearest[set][site] = others == 0 ? delay : Math.min(nearest[others][site], delay);
                if ((set >> site & 1) != 0) {
                    spread[set] = Math.max(spread[set], Math.max(delay, delays[member][site]));
                }
            }
        }
        for (int set = 1; set < spread.length; set++) {
            spread[set] += round[set];
        }
    }

    private static void check(int[][] delays) {
        for (int from = 0; from < delays.length; from++) {
            if (delays[from].length != delays.length || delays[from][from] != 0) {
                throw new IllegalArgumentException("delays are a square with zeros from a site to itself");
            }
            for (int delay : delays[from]) {
                if (delay < 0 || delay > DELAY_MICROS_MAX) {
                    throw new IllegalArgumentException("a delay of " + delay + " us: 0 to " + DELAY_MICROS_MAX);
                }
            }
        }
    }

    /** Returns how many sites there are. */
    public int sites() {
        return sites;
    }

    /** Returns what a write to a set waits for, apart from the way there: W(P). */
    public int spread(int set) {
        return spread[set];
    }

    /** Returns the delay from a site to the nearest member. */
    public int nearest(int set, int site) {
        return nearest[set][site];
    }

    /** Returns what the counted operations would have waited with these serializers, in microseconds. */
    public long cost(int set, SiteCounts counts) {
        if (set <= 0 || set >= spread.length) {
            throw new IllegalArgumentException("a set of serializers, of " + sites + " sites: " + set);
        }
        return costOf(set, counts);
    }

    private long costOf(int set, SiteCounts counts) {
        int[] delays = nearest[set];
        long cost = 0;
        for (int site = 0; site < sites; site++) {
            cost += (long) counts.writes(site) * spread[set] + counts.total(site) * delays[site];
        }
        return cost;
    }

    /**
     * Returns the cheapest set, of all there are or of the busy sites only.
     *
     * @param hotPercent members are sites with at least this share of the operations of the busiest site; 0 for all
     */
    public int best(SiteCounts counts, int hotPercent) {
        if (counts.sites() != sites || counts.isEmpty()) {
            throw new IllegalArgumentException("counts of " + counts.sites() + " sites: " + counts);
        }
        return cheapest(counts, hot(counts, hotPercent));
    }

    /** Returns the cheapest set of some sites. */
    int cheapest(SiteCounts counts, int candidates) {
        int best = candidates;
        long lowest = costOf(candidates, counts);
        // All other sets of them, from the largest number down.
        for (int set = (candidates - 1) & candidates; set != 0; set = (set - 1) & candidates) {
            long cost = costOf(set, counts);
            if (cost < lowest || (cost == lowest && isBefore(set, best))) {
                best = set;
                lowest = cost;
            }
        }
        return best;
    }

    /** Returns the {@link #best} set, or the present one if nothing was counted or nothing would be saved. */
    public int choose(SiteCounts counts, int hotPercent, int present) {
        return counts.isEmpty() ? present : cheaper(best(counts, hotPercent), present, counts);
    }

    int cheaper(int set, int present, SiteCounts counts) {
        return cost(set, counts) < cost(present, counts) ? set : present;
    }

    /** Returns the sites with at least this share of the operations of the busiest one. */
    int hot(SiteCounts counts, int percent) {
        long busiest = 0;
        for (int site = 0; site < sites; site++) {
            busiest = Math.max(busiest, counts.total(site));
        }
        int hot = 0;
        for (int site = 0; site < sites; site++) {
            if (counts.total(site) * 100 >= busiest * percent) {
                hot |= 1 << site;
            }
        }
        return hot;
    }

    /** Fewer members first, then in the order of the sorted members: the lowest site that only one of them has decides. */
    static boolean isBefore(int set, int other) {
        int members = Integer.compare(Integer.bitCount(set), Integer.bitCount(other));
        return members != 0 ? members < 0 : set != other && (set & Integer.lowestOneBit(set ^ other)) != 0;
    }
}
