package io.georep.geopaxos.core.placement;

/**
 * When an object is worth moving: if that saves a good part of what its operations cost, and more than the move costs. Objects that two
 * sites use about as often stay where they are.
 */
public final class MovePolicy {
    /** Sites with less than this share of the operations of the busiest site are no candidates. */
    public static final int HOT_PERCENT = 10;

    /** A move must save at least one part in so many. */
    static final int PARTS = 3;

    private final CostModel model;
    private final int writesToPayBack;

    /**
     * With these delays.
     *
     * @param writesToPayBack a move must save what so many writes to the former and new groups together cost
     */
    public MovePolicy(CostModel model, int writesToPayBack) {
        this.model = model;
        this.writesToPayBack = writesToPayBack;
    }

    /**
     * Returns the groups that an object should have; those that it has if nothing else is worth a move.
     *
     * @param present the groups that it has
     * @param allowed groups that may get it
     */
    public int choose(SiteCounts counts, int present, int allowed) {
        int candidates = counts.isEmpty() ? 0 : model.hot(counts, HOT_PERCENT) & allowed;
        if (candidates == 0) {
            return present;
        }
        int best = model.cheapest(counts, candidates);
        long cost = model.cost(present, counts);
        long saved = cost - model.cost(best, counts);
        boolean paysOff = saved > 0
                && saved >= cost / PARTS
                && saved >= (long) writesToPayBack * model.longestWait(present | best);
        return paysOff ? best : present;
    }
}
