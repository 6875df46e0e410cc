package io.georep.protocol.membership;

/**
 * How far a peer's wall clock is from that of this node, by what the peer says once per T_s + T_x. No rule of the protocol
 * depends on it. But delays and times to live of entries follow the clock of the node that forwards, so operators are told
 * when two clocks differ. A message that was under way while a machine was suspended, or while the store hung, looks like a
 * difference, so a difference counts only if the next message confirms it. If several messages arrive together, only the
 * first counts.
 */
final class PeerClock {
    /** By how much they must differ. Nobody sets a delay or a time to live that such an error matters to. */
    private static final long OFF_MILLIS = 60_000;

    /** Nothing was heard lately. */
    static final long UNKNOWN = Long.MIN_VALUE;

    /** For how many pauses between two messages the last one counts. */
    private static final int PAUSES_KEPT = 3;

    private long aheadMillis = UNKNOWN;
    private boolean counted;
    private long countedAtNanos;
    private boolean doubted;
    private boolean off;
    private boolean told;
    private long toldAtNanos;

    /** Takes what the peer's wall clock shows. */
    void heard(PeerRecord peer, long millis, MembershipTurn turn) {
        if (counted && turn.now() - countedAtNanos < peer.timing.failoverNanos() / 2) {
            return;
        }
        counted = true;
        countedAtNanos = turn.now();
        long ahead = millis - turn.wallMillis();
        boolean differs = Math.abs(ahead) > (off ? OFF_MILLIS / 2 : OFF_MILLIS);
        if (differs && !off && !doubted) {
            doubted = true;
            return;
        }
        doubted = false;
        aheadMillis = ahead;
        if (differs != off) {
            off = differs;
            turn.notify(new MembershipEvent.ClockOff(peer.id, off, ahead));
        }
    }

    /** Forgets what an earlier process said, but not whether operators were told of a difference. */
    void restarted() {
        aheadMillis = UNKNOWN;
        counted = false;
        doubted = false;
    }

    /** Returns what counts of what was heard lately: by how much the peer's clock is ahead, negative if it is behind. */
    long aheadMillis(Timing timing, long nowNanos) {
        boolean late = nowNanos - countedAtNanos > PAUSES_KEPT * timing.failoverNanos();
        return late ? UNKNOWN : aheadMillis;
    }

    /** Returns whether operators were told of a difference, and not of its end. */
    boolean isOff() {
        return off;
    }

    /** The peer may have to hear of this node's clock anew. */
    void linkUp() {
        told = false;
    }

    /** The peer is told now. */
    void told(long nowNanos) {
        told = true;
        toldAtNanos = nowNanos;
    }

    /** Returns when the peer is to be told. */
    long dueAtNanos(Timing timing) {
        return told ? toldAtNanos + timing.failoverNanos() : Long.MIN_VALUE;
    }
}
