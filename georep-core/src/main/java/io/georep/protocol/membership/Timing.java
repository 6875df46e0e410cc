package io.georep.protocol.membership;

import io.georep.model.ProtocolConfig;
import java.time.Duration;

/** The times of {@link ProtocolConfig} this package needs, in nanoseconds. */
record Timing(
        long heartbeatNanos,
        long heartbeatAwayNanos,
        long suspectNanos,
        long terminateNanos,
        long putNanos,
        long tombstoneNanos) {

    /** Longest absence that can be announced; keeps sums of nanoseconds far from overflow. */
    static final Duration AWAY_MAX = Duration.ofDays(3650);

    static Timing of(ProtocolConfig config) {
        return new Timing(
                config.heartbeat().toNanos(),
                config.heartbeatAway().toNanos(),
                config.suspectAfter().toNanos(),
                config.terminateAfter().toNanos(),
                config.putTimeout().toNanos(),
                config.tombstoneLife().toNanos());
    }

    /** How long a name is remembered that nobody hears of, in lives of tombstones. */
    private static final int FORGET_TOMBSTONES = 7;

    /** Returns how long a name is remembered that nobody hears of: by then all it was owed is given up. */
    long forgetNanos() {
        long longestNanos = AWAY_MAX.toNanos();
        return tombstoneNanos >= longestNanos / FORGET_TOMBSTONES ? longestNanos : FORGET_TOMBSTONES * tombstoneNanos;
    }

    /** Returns the same for a name nobody here is in touch with: a little less tells the two apart in the store. */
    long forgetUnheardNanos() {
        return forgetNanos() - heartbeatNanos;
    }

    /** T_s + T_x. */
    long failoverNanos() {
        return suspectNanos + terminateNanos;
    }

    /** Returns the longest hold-back after a doubtful return. */
    long holdBackMaxNanos() {
        return 3 * failoverNanos();
    }

    /**
     * Returns what is added to an announced absence, so that the absence does not end before the heartbeat of a punctual return
     * arrives.
     */
    long graceNanos() {
        return suspectNanos;
    }

    /**
     * Returns how far two views of one deadline may differ because of travel times. A smaller difference is no news: if nodes
     * followed it, deadlines would creep and lists would change for ever.
     */
    long noiseNanos() {
        return suspectNanos;
    }

    static long millisOf(long nanos) {
        return nanos <= 0 ? 0 : (nanos + 999_999) / 1_000_000;
    }

    static long nanosOf(long millis) {
        return Math.min(millis, AWAY_MAX.toMillis()) * 1_000_000;
    }
}
