package io.georep.bench.maps;

import org.jspecify.annotations.Nullable;

/**
 * A call and its answer, for {@link Judge}.
 *
 * @param answered when its outcome was known, {@link #NEVER} if it never was
 * @param applied what {@code remove} and {@code replace} answered, and whether a transfer was done
 * @param seen what {@code get} answered, {@code putIfAbsent} if a value was in the way, and a transfer: what is left
 */
record Operation(
        String key,
        Kind kind,
        @Nullable String value,
        @Nullable String expected,
        long invoked,
        long answered,
        boolean applied,
        @Nullable String seen,
        String who) {
    static final long NEVER = Long.MAX_VALUE;

    boolean isAnswered() {
        return answered != NEVER;
    }
}
