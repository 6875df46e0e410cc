package io.georep.outbox;

import io.georep.model.EntryId;
import io.georep.model.Slice;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An entry as it is stored, also one whose payload the codec cannot read.
 *
 * @param id id of the entry
 * @param enqueuedAt when the entry was accepted, by the wall clock of the node that accepted it
 * @param headers the headers that {@link SendOptions#headers} gave, in that order
 * @param producerKey the key that {@link SendOptions#producerKey} gave; null if there is none
 * @param payload the bytes that the codec wrote
 */
public record StoredEntry(
        EntryId id,
        Instant enqueuedAt,
        Map<String, String> headers,
        @Nullable String producerKey,
        Slice payload) {
    public StoredEntry {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    /** Returns all but what the application has put in, which must not be in a log. */
    @Override
    public String toString() {
        return "StoredEntry[" + id + ", " + payload.length() + " bytes]";
    }
}
