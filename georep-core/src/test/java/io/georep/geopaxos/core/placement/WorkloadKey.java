package io.georep.geopaxos.core.placement;

import java.util.Arrays;

/**
 * How the use of an object is spread over the sites: for each site its share of all operations, and the share of writes in its
 * own, both in whole percent. The cheapest set depends on these shares only, so objects that are used alike get the same
 * decision. As in the paper, for its figures.
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
     * Returns counts in the middle of all that have this key, so that the choice is a function of the key alone. At the lower
     * end a site that writes little would write nothing, and the choice for that can cost a fifth more. A site with zeros
     * counts as unused: it did nothing, or made less than one read in a hundred operations.
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
