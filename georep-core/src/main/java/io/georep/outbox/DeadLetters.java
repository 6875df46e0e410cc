package io.georep.outbox;

import io.georep.model.EntryId;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters of one queue that this node holds: entries that were set aside because they could not be forwarded. They keep
 * their copies on other nodes until they are replayed and forwarded, or deleted. Thread-safe.
 *
 * @param <T> type of the payload
 */
public interface DeadLetters<T> {
    /** The largest page. */
    int PAGE_MAX = 1000;

    /**
     * One page of dead letters, in the order of their ids.
     *
     * @param letters the dead letters
     * @param more whether there are others after the last one
     * @param <T> type of the payload
     */
    record Page<T>(List<DeadLetter<T>> letters, boolean more) {}

    /**
     * Reads a page. It has fewer letters than asked for, and says that there are more, when their payloads reach 4 MiB.
     *
     * @param after the page starts after this id; null for the first page
     * @param max the size of the page, 1 to {@link #PAGE_MAX}
     */
    CompletionStage<Page<T>> list(@Nullable EntryId after, int max);

    /** Gives these entries to the handler again. Returns how many of them were dead letters. */
    CompletionStage<Long> replay(Collection<EntryId> ids);

    /** Gives all dead letters to the handler again. Returns how many there were. */
    CompletionStage<Long> replayAll();

    /** Deletes these entries on all nodes. Returns how many of them were dead letters. */
    CompletionStage<Long> delete(Collection<EntryId> ids);

    /** Deletes all dead letters on all nodes. Returns how many there were. */
    CompletionStage<Long> deleteAll();
}
