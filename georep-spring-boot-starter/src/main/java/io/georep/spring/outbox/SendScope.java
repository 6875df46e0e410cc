package io.georep.spring.outbox;

import io.georep.model.EntryId;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The sends of one transaction: they are decided together, and may still be withdrawn. Nobody outside sees their producer
 * keys before the decision: a sender that was given an entry of this scope would lose its message if the entry were
 * withdrawn.
 */
public interface SendScope {
    /** Knows the scope of the calling thread. Thread-safe. */
    @FunctionalInterface
    interface Current {
        /** Returns the scope that the calling thread sends in; null when its sends count at once. */
        @Nullable
        SendScope get();
    }

    /** Returns the send of this scope with this key, unless it was withdrawn; null when there is none. */
    @Nullable
    CompletionStage<EntryId> earlier(String queue, String key);

    /** The decision depends on the answer of this send too, which is not the scope's own. */
    void dependsOn(String queue, CompletionStage<EntryId> stage);

    /**
     * The scope's own send with this key.
     *
     * @param released runs when it can no longer be withdrawn
     */
    void keyed(String queue, String key, CompletionStage<EntryId> stage, Runnable released);
}
