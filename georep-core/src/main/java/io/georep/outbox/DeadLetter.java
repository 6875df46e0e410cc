package io.georep.outbox;

import io.georep.model.EntryId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry that was set aside because it could not be forwarded.
 *
 * @param id its id
 * @param payload what was sent; null when the codec cannot read it
 * @param attempts how often it was tried
 * @param reason the last error
 * @param at when it was set aside
 * @param <T> type of the payload
 */
public record DeadLetter<T>(EntryId id, @Nullable T payload, int attempts, String reason, Instant at) {}
