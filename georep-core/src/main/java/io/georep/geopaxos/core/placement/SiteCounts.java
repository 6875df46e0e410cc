package io.georep.geopaxos.core.placement;

import java.util.Arrays;

/** How often each site read and wrote an object. A count stops at {@link #MAX}, which keeps all costs within a {@code long}. */
public final class SiteCounts {
    /** The highest count. */
    public static final int MAX = Integer.MAX_VALUE;

    private final int[] reads;
    private final int[] writes;

    /** Counts of nothing. */
    public SiteCounts(int sites) {
        this(new int[sites], new int[sites]);
    }

    private SiteCounts(int[] reads, int[] writes) {
        this.reads = reads;
        this.writes = writes;
    }

    /** Returns how many sites there are. */
    public int sites() {
        return reads.length;
    }

    /** Returns the reads of a site. */
    public int reads(int site) {
        return reads[site];
    }

    /** Returns the writes of a site. */
    public int writes(int site) {
        return writes[site];
    }

    /** Returns the reads and writes of a site. */
    public long total(int site) {
        return (long) reads[site] + writes[site];
    }

    /** Returns the reads and writes of all sites. */
    public long sum() {
        return Arrays.stream(reads).asLongStream().sum()
                + Arrays.stream(writes).asLongStream().sum();
    }

    /** Counts operations of a site. */
    public SiteCounts add(int site, int newReads, int newWrites) {
        reads[site] = capped(reads[site], newReads);
        writes[site] = capped(writes[site], newWrites);
        return this;
    }

    /** Returns whether nothing was counted: then nothing can be said about the placement. */
    public boolean isEmpty() {
        return sum() == 0;
    }

    /** Takes half of every count away and returns it: the other half of an object that was split. */
    public SiteCounts split() {
        return new SiteCounts(halved(reads), halved(writes));
    }

    private static int capped(int count, int more) {
        if (more < 0) {
            throw new IllegalArgumentException(more + " operations");
        }
        return (int) Math.min(MAX, (long) count + more);
    }

    private static int[] halved(int[] counts) {
        int[] taken = new int[counts.length];
        for (int site = 0; site < counts.length; site++) {
            taken[site] = counts[site] / 2;
            counts[site] -= taken[site];
        }
        return taken;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SiteCounts counts
                && Arrays.equals(reads, counts.reads)
                && Arrays.equals(writes, counts.writes);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(reads) + Arrays.hashCode(writes);
    }

    @Override
    public String toString() {
        return "reads " + Arrays.toString(reads) + ", writes " + Arrays.toString(writes);
    }
}
