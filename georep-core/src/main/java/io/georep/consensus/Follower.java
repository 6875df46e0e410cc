package io.georep.consensus;

import org.jspecify.annotations.Nullable;

/** What a leader knows of a member. */
final class Follower {
    /** The seat it last spoke for; null before it has answered this leader. */
    @Nullable
    Seat seat;

    /** What it has accepted under the leader's ballot, or knows to be decided; -1 before it has answered. */
    long matched = -1;

    /** The slot to send next. */
    long next;

    /** The latest time of the leader that came back; counts once the member has answered. */
    long echo;

    Follower(long next) {
        this.next = next;
    }
}
