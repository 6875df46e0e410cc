package io.georep.store.rocksdb;

import java.util.concurrent.locks.LockSupport;

/** How long to wait between attempts of one write that cannot be made yet. */
final class RetryPauses {
    private static final long MILLISECOND = 1_000_000;
    private static final long PAUSE_MIN = MILLISECOND;

    /** A stall may end at any moment. Space comes back only when somebody frees some. */
    private static final long PAUSE_MAX_STALLED = 20 * MILLISECOND;

    private static final long PAUSE_MAX_FULL = 500 * MILLISECOND;

    /** A stall longer than this is worth reporting. */
    private static final long STALL_LONG = 1000 * MILLISECOND;

    /**
     * How long to wait before RocksDB is started afresh, in case it goes on reporting an error that has passed.
     * Without a log, a restart would lose what is only in memory; then RocksDB has to recover by itself.
     */
    private static final long REOPEN_INTERVAL = 2000 * MILLISECOND;

    private long pauseNanos = PAUSE_MIN;
    private long pausedNanos;
    private long hopelessNanos;

    boolean isStallLong() {
        return pausedNanos >= STALL_LONG;
    }

    /** Returns whether attempts have met errors for so long that starting afresh may help. Then it counts anew. */
    boolean isReopenDue() {
        if (hopelessNanos < REOPEN_INTERVAL) {
            return false;
        }
        hopelessNanos = 0;
        return true;
    }

    void pause(boolean isFull, boolean isHopeless) {
        LockSupport.parkNanos(this, pauseNanos);
        pausedNanos += pauseNanos;
        hopelessNanos += isHopeless ? pauseNanos : 0;
        pauseNanos = Math.min(2 * pauseNanos, isFull ? PAUSE_MAX_FULL : PAUSE_MAX_STALLED);
    }
}
