package io.georep.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Gathers small things of many threads into one input per turn. It wakes the driver itself when its first item arrives.
 */
interface TurnSource {
    /** Driver: what was gathered, bounded; null when nothing. */
    @Nullable
    Input gather();

    /** Driver: whether {@link #gather} left something behind. */
    boolean isEmpty();
}
