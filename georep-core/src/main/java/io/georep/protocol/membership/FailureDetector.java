package io.georep.protocol.membership;

import io.georep.model.PeerState;

/**
 * Computes with silences, apart from the objects that keep the times. A peer is suspected after T_s of silence and
 * given up after a further T_x. Both count from its last life sign, so a late timer shortens nothing.
 */
final class FailureDetector {
    private static final long SECOND = 1_000_000_000L;
    private static final long HELLO_PAUSE_MAX = 30 * SECOND;

    private FailureDetector() {}

    /** Returns the state a peer is in after this silence: one step further, or the same (rules p3 and p4). */
    static PeerState afterSilence(PeerState state, long silentNanos, Timing timing) {
        return switch (state) {
            case ACTIVE -> silentNanos >= timing.suspectNanos() ? PeerState.SCHRODINGER : state;
            case SCHRODINGER -> silentNanos >= timing.failoverNanos() ? PeerState.TERMINATED : state;
            case PROSPECT, TERMINATED, ARNOLD -> state;
        };
    }

    /** Returns when {@link #afterSilence} will return another state; {@link Long#MAX_VALUE} for never. */
    static long silenceDeadline(PeerState state, long lastHeardNanos, Timing timing) {
        return switch (state) {
            case ACTIVE -> lastHeardNanos + timing.suspectNanos();
            case SCHRODINGER -> lastHeardNanos + timing.failoverNanos();
            case PROSPECT, TERMINATED, ARNOLD -> Long.MAX_VALUE;
        };
    }

    /** Returns the longest time without a frame to a peer in this state; Prospects get HELLO instead. */
    static long heartbeatPause(PeerState state, Timing timing) {
        return switch (state) {
            case ACTIVE, SCHRODINGER -> timing.heartbeatNanos();
            case TERMINATED, ARNOLD -> timing.heartbeatAwayNanos();
            case PROSPECT -> Long.MAX_VALUE;
        };
    }

    /** Returns the time between HELLO number {@code attempt} (from 1) and the next: 1 s, doubled up to 30 s. */
    static long helloPause(int attempt) {
        return Math.min(SECOND << Math.min(Math.max(attempt, 1) - 1, 10), HELLO_PAUSE_MAX);
    }

    /**
     * Returns by how much all silences must be shortened because this node itself stood still: it was to wake at {@code
     * scheduledNanos} and did so much later. Frames that arrived meanwhile wait unread in the sockets, so the silence
     * proves nothing. Zero if it woke in time.
     */
    static long pauseCredit(long scheduledNanos, long nowNanos, Timing timing) {
        long late = nowNanos - scheduledNanos;
        return late > timing.heartbeatNanos() ? late : 0;
    }
}
