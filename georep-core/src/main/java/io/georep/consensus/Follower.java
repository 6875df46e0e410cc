package io.georep.consensus;

import org.jspecify.annotations.Nullable;

/** What a leader knows of a member. */
final class Follower {
    /** The seat that it named in its last answer; null before it has answered this leader. */
    @Nullable
    Seat seat;

    /** What it has accepted under the leader's ballot, or knows to be decided; counts once it has answered. */
    long matched;

    /** The slot to send next. */
    long next;

    /** The leader's time when it last went back to repeat what was lost. */
    long wentBack;

    /** The latest of the leader's times that the member echoed; counts once the member has answered. */
    long echo;

    Follower(long next) {
        this.next = next;
        matched = next - 1;
    }
}
