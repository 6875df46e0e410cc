package io.georep.funnel;

import org.jspecify.annotations.Nullable;

/**
 * What a node knows of its part in the replicated maps.
 *
 * @param view the newest view it was told of; null while there is none
 * @param role what the node does in it
 */
public record MapsStatus(@Nullable View view, Role role) {
    /** What a node does in a view. */
    public enum Role {
        /** It is not a member and does not follow one. */
        OUTSIDE,
        /** It is not a member and gets the state from the tail. */
        LEARNING,
        /** It is a member, and the members compare what they hold. */
        FLUSHING,
        /** It is a member and serves. */
        SERVING
    }
}
