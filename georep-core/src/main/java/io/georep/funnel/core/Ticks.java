package io.georep.funnel.core;

import io.georep.funnel.FunnelSettings;

/**
 * Decides when a node looks again at what waits for other nodes: after a fraction of the shortest timeout, and sooner while a
 * view is near.
 */
final class Ticks {
    /** How often per lease the master is asked when a member has gone away. */
    private static final int HURRIES_PER_LEASE = 40;

    private static final long PAUSE_MIN = 1_000_000;

    private final long pauseNanos;
    private final long hurryNanos;
    private long at;

    Ticks(FunnelSettings settings) {
        long lease = settings.lease().toNanos();
        long shortest = Math.min(
                Math.min(
                        settings.resendAfter().toNanos(),
                        settings.suspectAfter().toNanos() / 4),
                Math.min(lease / 8, settings.readTimeout().toNanos() / 4));
        pauseNanos = Math.max(PAUSE_MIN, shortest);
        hurryNanos = Math.max(PAUSE_MIN, lease / HURRIES_PER_LEASE);
    }

    /** Returns when the next one is due. */
    long nextDeadlineNanos() {
        return at;
    }

    boolean isDue(long now) {
        return now >= at;
    }

    /** Sets when the next one is due, when one has come. */
    void next(boolean isViewNear, long now) {
        at = now + (isViewNear ? Math.min(pauseNanos, hurryNanos) : pauseNanos);
    }

    /** Makes the next one due at once. */
    void hurry(long now) {
        at = Math.min(at, now);
    }

    void boot(long now) {
        at = now;
    }
}
