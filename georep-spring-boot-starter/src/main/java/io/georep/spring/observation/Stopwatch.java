package io.georep.spring.observation;

import org.jspecify.annotations.Nullable;

/** What {@link EntryTimers} know of an observation under way. It names no class of the meters, which an application may lack. */
final class Stopwatch {
    boolean isStarted;

    /** When the observation began, by the clock of the registry. */
    long startNanos;

    /** Its place among those under way; null if nobody counts them. */
    @Nullable
    Object underWay;
}
