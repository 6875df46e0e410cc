package io.georep.geopaxos.core.placement;

import java.util.stream.IntStream;

/**
 * The cost of every set of serializers, and the cheapest one. With the counts r and w of each site g and the delays d:
 *
 * <pre>
 * cost(P) = sum over g of  w(g) * (W(g, P) + d(g, P))  +  r(g) * d(g, P)
 * W(g, P) = the longest delay between two members of P, and the longest round of a member: what a write waits for
 * d(g, P) = the shortest delay from g to a member of P
 * </pre>
 *
 * <p>The round of a member is what its group takes to decide. If there is one member only, it counts as the site waits for it, beyond the way
 * there and back: a site that votes in the group may know of a decision as soon as it hears of the proposal. With several members, each of
 * their leaders waits for its own.
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

    /** W of each set, from each site. */
    private final int[][] waits;

    /** The delay to the nearest member of each set, from each site. */
    private final int[][] nearest;

    /**
     * A model for given delays, as in the paper: what a group takes to decide counts for nothing.
     *
     * @param delays from each site to each site, in microseconds
     */
    public CostModel(int[][] delays) {
        this(delays, new int[delays.length][delays.length]);
    }

    /**
     * A model for given delays.
     *
     * @param delays from each site to each site, in microseconds
     * @param rounds what a site waits, beyond the way there and back, until it knows what a serializer has decided: by site, then by
     *     serializer, in microseconds, at most {@link #DELAY_MICROS_MAX}
     */
    public CostModel(int[][] delays, int[][] rounds) {
        sites = delays.length;
        if (sites < 1 || sites > SITES_MAX) {
            throw new IllegalArgumentException(sites + " sites: 1 to " + SITES_MAX + " can be placed");
        }
        check(delays);
        int[] spread = new int[1 << sites];
        int[] round = new int[1 << sites];
        waits = new int[1 << sites][sites];
        nearest = new int[1 << sites][sites];
        for (int set = 1; set < spread.length; set++) {
            int member = Integer.numberOfTrailingZeros(set);
            int others = set & (set - 1);
            spread[set] = spread[others];
            round[set] = Math.max(round[others], rounds[member][member]);
            for (int site = 0; site < sites; site++) {
                int delay = delays[site][member];
                nearest[set][site] = others == 0 ? delay : Math.min(nearest[others][site], delay);
                if ((set >> site & 1) != 0) {
                    spread[set] = Math.max(spread[set], Math.max(delay, delays[member][site]));
                }
            }
        }
        for (int set = 1; set < spread.length; set++) {
            boolean isSingle = (set & (set - 1)) == 0;
            for (int site = 0; site < sites; site++) {
                int longest = isSingle ? rounds[site][Integer.numberOfTrailingZeros(set)] : round[set];
                waits[set][site] = spread[set] + longest;
            }
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

    /** Returns what a write to a set waits for, apart from the way there, where it waits for longest: the largest W(g, P). */
    public int longestWait(int set) {
        return IntStream.of(waits[set]).max().orElseThrow();
    }

    /** Returns the delay from a site to the nearest member. */
    public int nearest(int set, int site) {
        return nearest[set][site];
    }

    /** Returns what the counted operations would have waited with these serializers, in microseconds. */
    public long cost(int set, SiteCounts counts) {
        if (set <= 0 || set >= waits.length) {
            throw new IllegalArgumentException("a set of serializers, of " + sites + " sites: " + set);
        }
        return costOf(set, counts);
    }

    private long costOf(int set, SiteCounts counts) {
        int[] delays = nearest[set];
        int[] wait = waits[set];
        long cost = 0;
        for (int site = 0; site < sites; site++) {
            cost += (long) counts.writes(site) * wait[site] + counts.total(site) * delays[site];
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
