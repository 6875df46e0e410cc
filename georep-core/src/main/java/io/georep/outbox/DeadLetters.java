package io.georep.outbox;

import io.georep.model.EntryId;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one outbox that this node set aside. They keep their copies on the other owners. Thread-safe.
 *
 * @param <T> type of the payload
 */
public interface DeadLetters<T> {
    /** Most dead letters in one page. */
    int PAGE_MAX = 1000;

    /**
     * Some dead letters in the order of their ids.
     *
     * @param letters the dead letters
     * @param more whether others follow after the last one
     * @param <T> type of the payload
     */
    record Page<T>(List<DeadLetter<T>> letters, boolean more) {}

    /**
     * Reads a page.
     *
     * @param after id to start after; null for the first page
     * @param max size of the page, 1 to {@link #PAGE_MAX}
     */
    CompletionStage<Page<T>> list(@Nullable EntryId after, int max);

    /** Gives these back to the handler; answers how many were dead letters. */
    CompletionStage<Long> replay(Collection<EntryId> ids);

    /** Gives all back to the handler; answers how many there were. */
    CompletionStage<Long> replayAll();

    /** Removes these on all owners; answers how many were dead letters. */
    CompletionStage<Long> delete(Collection<EntryId> ids);

    /** Removes all on all owners; answers how many there were. */
    CompletionStage<Long> deleteAll();
}
