package io.georep.protocol.membership;

/**
 * Measures for how long this node could not hear, because it stood still or did not read. The silence of its peers
 * during that time says nothing about them (rule M3).
 */
final class PausedReading {
    private final Timing timing;
    private final PeerList list;
    private boolean reading = true;

    /** Up to when silences were shortened; meaningful while this node does not read. */
    private long creditedNanos;

    /** How long it could not hear, in all. */
    private long pausedNanos;

    PausedReading(Timing timing, PeerList list) {
        this.timing = timing;
        this.list = list;
    }

    /** Returns for how long this node could not hear since its start. */
    long pausedNanos() {
        return pausedNanos;
    }

    /** Whether this node reads what peers send. */
    void reading(boolean on, long nowNanos) {
        if (on != reading) {
            shorten(unread(nowNanos), nowNanos);
            reading = on;
            creditedNanos = nowNanos;
        }
    }

    /** Called when the timer fires, before silences are judged; it was to fire at {@code dueNanos}. */
    void shortenSilences(long dueNanos, long nowNanos) {
        shorten(Math.max(FailureDetector.pauseCredit(dueNanos, nowNanos, timing), unread(nowNanos)), nowNanos);
        creditedNanos = nowNanos;
    }

    private long unread(long nowNanos) {
        return reading ? 0 : nowNanos - creditedNanos;
    }

    private void shorten(long creditNanos, long nowNanos) {
        if (creditNanos > 0) {
            pausedNanos += creditNanos;
            list.all().forEach(peer -> PeerDeadlines.shorten(peer, creditNanos, nowNanos));
        }
    }
}
