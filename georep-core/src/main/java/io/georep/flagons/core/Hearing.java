package io.georep.flagons.core;

/**
 * Up to when a node has heard everything that came to its machine. What waits unread may be older than what the node knows. So time in which
 * the node, or the threads that read for it, stood still is no time in which events became stable.
 */
final class Hearing {
    /** In rounds; a node asks so often how far it hears. */
    static final int ASKED_EVERY = 2;

    /** In rounds; and so often while there is no answer. */
    static final int ASKED_AGAIN = 8;

    /** In rounds; so long the answer may take, with the time until it is asked for. */
    private static final int ALLOWED = 3;

    /** In rounds; an event that a node makes when it has not heard anything for longer may leave when others have delivered later ones. */
    private static final int LATE = 4;

    private final FleetSettings settings;
    private final long missedMillis;
    private long heard;
    private boolean isTold;
    private boolean missed;
    private long missedSince;
    private long unsureUntil = Long.MIN_VALUE;

    /**
     * Creates it for a node that hears everything at once, until {@link #heard}.
     *
     * @param missedMillis what is so old is not believed any more when it is heard
     */
    Hearing(FleetSettings settings, long missedMillis) {
        this.settings = settings;
        this.missedMillis = missedMillis;
    }

    /** The node has heard everything up to this time, and knows it now. */
    void heard(long millis, long now) {
        if (isTold && millis != heard && now - heard > missedMillis) {
            missed = true;
            missedSince = heard;
        }
        heard = millis;
        isTold = true;
    }

    /** Looks at the time, and returns whether the node has just heard what is too old to be believed, so that it may have missed something. */
    boolean look(long now) {
        if (isDeaf(now)) {
            unsureUntil = now + 2 * settings.horizon();
        }
        boolean was = missed;
        missed = false;
        return was;
    }

    /** Returns since when that was so, after {@link #look} has said it: what the node made since then may have left as late. */
    long missedSince() {
        return missedSince;
    }

    /** Returns for how long this node may have heard less than has come. */
    private long behind(long now) {
        return isTold ? now - heard : 0;
    }

    /** Returns how much of the last time does not count. */
    long unlived(long now) {
        return Math.max(0, behind(now) - ALLOWED * settings.roundMillis());
    }

    /** Returns whether what the node makes now may leave late. */
    boolean isLate(long now) {
        return behind(now) > LATE * settings.roundMillis();
    }

    /** Returns whether it has heard nothing for so long that what others made before may reach it, or leave them, too late. */
    boolean isDeaf(long now) {
        return 2 * unlived(now) > settings.horizon();
    }

    /** Returns whether it was deaf a short time ago: until what was late is here, it is not sure of anything. */
    boolean wasDeaf(long now) {
        return now < unsureUntil;
    }
}
