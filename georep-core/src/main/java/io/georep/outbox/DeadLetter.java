package io.georep.outbox;

import io.georep.model.EntryId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry that was set aside because it could not be forwarded.
 *
 * @param id id of the entry
 * @param payload what was sent; null if the codec cannot read it
 * @param attempts how often the entry was tried
 * @param reason the last error
 * @param at when the entry was set aside
 * @param <T> type of the payload
 */
public record DeadLetter<T>(EntryId id, @Nullable T payload, int attempts, String reason, Instant at) {
    /** Returns all but the payload, which must not be in a log. */
    @Override
    public String toString() {
        return "DeadLetter[" + id + ", " + attempts + " attempts, at " + at + ", " + reason + "]";
    }
}
