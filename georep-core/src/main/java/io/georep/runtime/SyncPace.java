package io.georep.runtime;

/**
 * Judges whether a store syncs too slowly for what depends on it. A put waits for the sync under way and then for its
 * own. So syncs of a quarter of T_put use up the time after which an owner is replaced. The store is slow from the
 * second such sync in a row on, even if that is still under way. A single one may be due to a cold disk, or to a
 * machine that stood still.
 *
 * <p>The store is trusted again when all syncs were quick for some time. A node that takes nothing syncs nothing, so
 * somebody has to ask for syncs meanwhile. A store that is slow only under load would be trusted and given up in
 * turns, so that time doubles with each relapse.
 */
final class SyncPace {
    private static final int IN_A_ROW = 2;

    /** How often the time doubles at most. */
    private static final int DOUBLINGS_MAX = 4;

    /** If a store was trusted for so many of these times, the time is the shortest one again. */
    private static final int FORGIVEN_AFTER = 8;

    private final long slowNanos;
    private final long calmNanos;
    private boolean slow;
    private int slowInARow;
    private long lastNanos;
    private long sinceSlowSync;
    private long sinceAsked;
    private long sinceTrusted = Long.MAX_VALUE / 2;
    private int relapses;

    /**
     * A store about which nothing is known yet.
     *
     * @param slowNanos a sync that takes so long is slow
     * @param calmNanos how long all syncs must have been quick before a slow store is trusted again
     */
    SyncPace(long slowNanos, long calmNanos) {
        this.slowNanos = slowNanos;
        this.calmNanos = calmNanos;
    }

    /** Time passed, while the node ran. */
    void passed(long nanos) {
        sinceSlowSync += nanos;
        sinceAsked += nanos;
        sinceTrusted = Math.min(Long.MAX_VALUE / 2, sinceTrusted + nanos);
    }

    /** A sync took so long. */
    void synced(long nanos) {
        lastNanos = nanos;
        if (nanos >= slowNanos) {
            slowInARow++;
            sinceSlowSync = 0;
        } else {
            slowInARow = 0;
        }
    }

    /** Returns whether the store is slow, given for how long a sync is under way. */
    boolean isSlow(long underWayNanos) {
        boolean slowNow = underWayNanos >= slowNanos;
        if (slowNow) {
            sinceSlowSync = 0;
        }
        if (!slow && slowInARow + (slowNow ? 1 : 0) >= IN_A_ROW) {
            slow = true;
            relapses = sinceTrusted < FORGIVEN_AFTER * calmWanted() ? Math.min(relapses + 1, DOUBLINGS_MAX) : 0;
        } else if (slow && slowInARow == 0 && !slowNow && sinceSlowSync >= calmWanted()) {
            slow = false;
            sinceTrusted = 0;
        }
        return slow;
    }

    private long calmWanted() {
        return calmNanos << relapses;
    }

    /** Returns whether to ask for a sync, to see how long it takes. */
    boolean wantsSync() {
        if (!slow || sinceAsked < slowNanos) {
            return false;
        }
        sinceAsked = 0;
        return true;
    }

    /** Returns how long the last sync took. */
    long lastNanos() {
        return lastNanos;
    }
}
