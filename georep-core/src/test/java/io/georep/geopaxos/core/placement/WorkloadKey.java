package io.georep.geopaxos.core.placement;

import java.util.Arrays;

/**
 * Who uses an object, without how much: for each site its share of all operations and the share of writes in its own, each cut to
 * two decimals. The cheapest set depends on these shares only, so that objects used alike are decided alike.
 */
public final class WorkloadKey {
    private final byte[] percents;
    private final int hash;

    private WorkloadKey(byte[] percents) {
        this.percents = percents;
        hash = Arrays.hashCode(percents);
    }

    /** The key of counts that are not empty. */
    public static WorkloadKey of(SiteCounts counts) {
        long all = 0;
        for (int site = 0; site < counts.sites(); site++) {
            all += counts.total(site);
        }
        byte[] percents = new byte[2 * counts.sites()];
        for (int site = 0; site < counts.sites(); site++) {
            long own = counts.total(site);
            if (own > 0) {
                percents[2 * site] = (byte) (own * 100 / all);
                percents[2 * site + 1] = (byte) (counts.writes(site) * 100L / own);
            }
        }
        return new WorkloadKey(percents);
    }

    /**
     * Counts in the middle of all those that have this key: what is chosen for them is a function of the key alone. The lower ends
     * would take all writes from a site that writes little, and the choice for none can cost a fifth more than that for few. A site
     * that shows zeros has no part: it did nothing, or less than one read in a hundred operations.
     */
    public SiteCounts counts() {
        SiteCounts counts = new SiteCounts(percents.length / 2);
        for (int site = 0; site < counts.sites(); site++) {
            int load = percents[2 * site];
            int updates = percents[2 * site + 1];
            if (load > 0 || updates > 0) {
                int share = 2 * load + 1;
                int written = Math.min(200, 2 * updates + 1);
                counts.add(site, share * (200 - written), share * written);
            }
        }
        return counts;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WorkloadKey key && Arrays.equals(percents, key.percents);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Three digits for each number, as in the paper. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (byte percent : percents) {
            text.append((char) ('0' + percent / 100))
                    .append((char) ('0' + percent / 10 % 10))
                    .append((char) ('0' + percent % 10));
        }
        return text.toString();
    }
}
