package io.georep.protocol.local;

import org.jspecify.annotations.Nullable;

/**
 * Gathers small requests of many threads into one command per turn; {@link NodeHandle#wake} for the first after none.
 *
 * @param <C> the protocol's commands
 */
public interface TurnSource<C> {
    /** Driver: a command with what was gathered, bounded; null when nothing. */
    @Nullable
    C gather();

    /** Driver: whether {@link #gather} left something behind. */
    boolean isEmpty();

    /** Driver: refuses further items. Needs no memory. */
    void close();
}
