package io.georep.consensus;

import java.util.random.RandomGenerator;

/** When a member without a leader tries to lead. */
final class Turns {
    private static final int DOUBLINGS_MAX = 5;

    private final LogTiming timing;
    private final RandomGenerator random;
    private final Voter voter;
    private long runAt;

    /** How many attempts of this node got to phase 1 since it knew of a leader. */
    private int attempts;

    Turns(LogTiming timing, RandomGenerator random, Voter voter, long now) {
        this.timing = timing;
        this.random = random;
        this.voter = voter;
        await(now);
    }

    /** Returns when the next attempt is due. */
    long runAt() {
        return runAt;
    }

    boolean isDue(long now) {
        return now - runAt >= 0;
    }

    /** Somebody leads. */
    void led() {
        attempts = 0;
    }

    /** An attempt got to phase 1. */
    void tried(long now) {
        attempts = Math.min(attempts + 1, DOUBLINGS_MAX);
        await(now);
    }

    /**
     * Sets when the next attempt is due: after a lease without a leader, in the order of the seats but for that leader's, so that two
     * attempts rarely run at once and nobody waits for chance. The wait doubles after each attempt that had a majority and was not over in
     * time: an attempt waits for two syncs, and disks may be slow.
     */
    void await(long now) {
        long own = voter.place(attempts == 0) * (timing.lease() / 4) + random.nextLong(timing.lease() / 8);
        runAt = now + Math.max(0, voter.keepsUntil() - now) + ((timing.heartbeat() + own) << attempts);
    }
}
