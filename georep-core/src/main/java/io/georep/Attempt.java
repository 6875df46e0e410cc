package io.georep;

import io.georep.model.EntryId;
import io.georep.outbox.OutboxEvent;
import org.jspecify.annotations.Nullable;

/** An entry between its delivery and its end: owned by whoever holds it, never by two threads at once. */
final class Attempt {
    final EntryId id;

    /** Null while parked without its payload. */
    OutboxEvent.@Nullable Delivered entry;

    /** Handler calls that failed so far. */
    int failures;

    /** When it is due again, while parked. */
    long dueNanos;

    /** Keeps entries with the same due time in order, while parked. */
    long order;

    /** When it failed together with others, as {@link Suspicion} counts; 0 for never. */
    long suspectedIn;

    /** Whether adoption was announced, which happens once. */
    boolean announced;

    Attempt(OutboxEvent.Delivered entry) {
        this.id = entry.id();
        this.entry = entry;
    }
}
