package io.georep.flagons;

import org.jspecify.annotations.Nullable;

/**
 * What became of an operation on a fleet map. Compare places to know which of two results is the later one.
 *
 * @param status how it ended
 * @param place of the operation in the order; of a get that did not wait for its place, the place that its value is of; {@link
 *     FleetPlace#NONE} if unsure
 * @param value of the key at this place, before a change of it; null if it had none
 * @param version the place of the operation that has written this value, or removed it; {@link FleetPlace#NONE} if there is none
 * @param <V> type of the values
 */
public record FleetResult<V>(
        Status status, FleetPlace place, @Nullable V value, FleetPlace version) {
    /** How an operation ended. */
    public enum Status {
        /** A change has taken effect at its place. */
        APPLIED,
        /** A change has no effect, because the key had a value. */
        NOT_APPLIED,
        /** A get was answered. */
        FOUND,
        /**
         * A get was not answered in time by as many nodes as it asked for, or they did not return the same. Ask again, with a smaller
         * quorum or a longer deadline, or do what is right if the value is not known.
         */
        UNSURE
    }

    /** Returns whether a change has taken effect. */
    public boolean isApplied() {
        return status == Status.APPLIED;
    }

    /** Returns whether the value is known. */
    public boolean isSure() {
        return status != Status.UNSURE;
    }

    /**
     * Returns the value.
     *
     * @throws IllegalStateException if it is not known
     */
    @Override
    public @Nullable V value() {
        if (!isSure()) {
            throw new IllegalStateException("the value is not known: look at isSure() first");
        }
        return value;
    }

    /** Returns the status and the place; not the value, which is nobody's business in a log. */
    @Override
    public String toString() {
        return "FleetResult[" + status + " at " + place + "]";
    }
}
