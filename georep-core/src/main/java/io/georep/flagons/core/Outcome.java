package io.georep.flagons.core;

import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/**
 * What became of a request.
 *
 * @param place of the request in the order; {@link OrderKey#FIRST} if unknown
 * @param value that the key had at this place, before a change of it; null if none
 * @param version the place of the operation that has written this value; {@link OrderKey#FIRST} if none
 */
public record Outcome(
        Status status, OrderKey place, @Nullable Slice value, OrderKey version) {
    /** How it ended. */
    public enum Status {
        /** It has taken effect at its place. */
        APPLIED,
        /** It has no effect: the key had a value, or the request had an earlier place. */
        NOT_APPLIED,
        /** The value is what it was asked for. */
        FOUND,
        /** Nobody has answered in time. It may have taken effect. */
        UNSURE,
        /** The node that a client has asked takes no more now. It has not begun it. */
        REFUSED
    }

    /** Returns whether a change was decided. */
    boolean isDone() {
        return status == Status.APPLIED || status == Status.NOT_APPLIED;
    }

    /** Returns the outcome of a request that nobody has answered. */
    static Outcome unsure() {
        return none(Status.UNSURE);
    }

    /** Returns the outcome of a request that a node has not begun. */
    static Outcome refused() {
        return none(Status.REFUSED);
    }

    private static Outcome none(Status status) {
        return new Outcome(status, OrderKey.FIRST, null, OrderKey.FIRST);
    }
}
