package io.georep.outbox.local;

import io.georep.codec.MalformedException;
import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.StoredEntry;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads single entries that were set aside, out of the pages in which they are listed. */
final class StoredEntries {
    private static final int PAGE = 16;

    private StoredEntries() {}

    static CompletionStage<Optional<StoredEntry>> read(LocalQueue queue, EntryId id) {
        return search(after -> letters(queue, after), before(id), id)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(found)
                        : search(after -> undecided(queue, after), before(id), id));
    }

    private record Listed(EntryId id, Slice payload) {}

    /** Reads page after page until one has the entry or is behind it: nearly always the first. */
    private static CompletionStage<Optional<StoredEntry>> search(
            Function<@Nullable EntryId, CompletionStage<List<Listed>>> pages, @Nullable EntryId after, EntryId id) {
        return pages.apply(after).thenCompose(page -> {
            EntryId last = page.isEmpty() ? id : page.get(page.size() - 1).id();
            return last.compareTo(id) < 0
                    ? search(pages, last, id)
                    : CompletableFuture.completedFuture(page.stream()
                            .filter(each -> each.id().equals(id))
                            .findFirst()
                            .map(each -> entry(id, each.payload())));
        });
    }

    private static CompletionStage<List<Listed>> letters(LocalQueue queue, @Nullable EntryId after) {
        return queue.node
                .<OutboxEvent.DeadLetterPage>ask(
                        token -> new OutboxCommand.ListDeadLetters(queue.name, after, PAGE, token))
                .thenApply(page -> page.letters().stream()
                        .map(letter -> new Listed(letter.id(), letter.payload()))
                        .toList());
    }

    private static CompletionStage<List<Listed>> undecided(LocalQueue queue, @Nullable EntryId after) {
        return queue.node
                .<OutboxEvent.Undecided>ask(token -> new OutboxCommand.ListUndecided(queue.name, after, PAGE, token))
                .thenApply(page -> page.entries().stream()
                        .map(entry -> new Listed(entry.id(), entry.payload()))
                        .toList());
    }

    /** Returns an id behind which this entry is not far, and which is not behind it; null to begin with the first of all. */
    private static @Nullable EntryId before(EntryId id) {
        StreamId stream = id.stream();
        if (id.sequence() > 0) {
            return new EntryId(stream, id.sequence() - 1);
        }
        if (stream.lane() > 0) {
            return last(new StreamId(stream.origin(), stream.boot(), stream.lane() - 1));
        }
        return stream.boot() > 1 ? last(new StreamId(stream.origin(), stream.boot() - 1, StreamId.LANE_MAX)) : null;
    }

    private static EntryId last(StreamId stream) {
        return new EntryId(stream, Long.MAX_VALUE - 1);
    }

    /** Returns the entry. If its envelope cannot be read, all of its bytes count as payload. */
    private static StoredEntry entry(EntryId id, Slice bytes) {
        try {
            EntryEnvelope envelope = EntryEnvelope.decode(bytes);
            return new StoredEntry(
                    id,
                    Instant.ofEpochMilli(envelope.enqueuedAtMillis()),
                    envelope.headers(),
                    envelope.producerKey(),
                    envelope.body());
        } catch (MalformedException e) {
            return new StoredEntry(id, Instant.EPOCH, Map.of(), null, bytes);
        }
    }
}
