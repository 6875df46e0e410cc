package io.georep.spring.outbox;

import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Something that happens around sends. Called on the sender's thread; passes the call on to the next, changed or not, now
 * or later, or answers it itself. Thread-safe.
 */
public interface SendAdvice {
    /**
     * One or several payloads with the same options.
     *
     * @param outbox the outbox underneath, without any advice
     * @param payloads at least one
     * @param options what the sender asked for
     * @param <T> type of the payload
     */
    record Call<T>(Outbox<T> outbox, List<? extends T> payloads, SendOptions options) {
        /** Without the payloads. */
        @Override
        public String toString() {
            return "Call[" + payloads.size() + " payloads, " + options.values() + "]";
        }

        /** Name of the queue. */
        public String queue() {
            return outbox.name();
        }

        /** The same payloads with other options. */
        public Call<T> with(SendOptions changed) {
            return new Call<>(outbox, payloads, changed);
        }
    }

    /**
     * The rest of the way.
     *
     * @param <T> type of the payload
     */
    @FunctionalInterface
    interface Next<T> {
        /** Sends; one stage per payload, in the same order. */
        List<CompletionStage<EntryId>> send(Call<T> call);
    }

    /** Answers one stage per payload, in the same order. */
    <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next);
}
