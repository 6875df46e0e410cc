package io.georep.protocol.local;

import org.jspecify.annotations.Nullable;

/**
 * Gathers small requests of many threads into one command per turn. It calls {@link NodeHandle#wake} for the first
 * request after none.
 *
 * @param <C> the commands of the protocol
 */
public interface TurnSource<C> {
    /** Returns a command with what was gathered, up to a bound; null if there is nothing. Called by the driver. */
    @Nullable
    C gather();

    /** Returns whether {@link #gather} has left something behind. Called by the driver. */
    boolean isEmpty();

    /** Refuses further requests. Called by the driver; needs no memory. */
    void close();
}
