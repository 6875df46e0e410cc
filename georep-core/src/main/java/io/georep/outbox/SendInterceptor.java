package io.georep.outbox;

import io.georep.model.EntryId;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Something that happens around the sends of an outbox; see {@link OutboxOptions#intercept}. Called on the sender's thread. It passes
 * the call on to the next one, changed or not, now or later, or gives a result of its own. Thread-safe.
 */
public interface SendInterceptor {
    /**
     * One or several payloads with the same options.
     *
     * @param outbox the outbox; {@link Outbox#prepare} passes no interceptor
     * @param payloads at least one
     * @param options what the sender asked for
     * @param <T> type of the payload
     */
    record Call<T>(Outbox<T> outbox, List<? extends T> payloads, SendOptions options) {
        /** Returns all but the payloads, which must not be in a log. */
        @Override
        public String toString() {
            return "Call[" + payloads.size() + " payloads, " + options.values() + "]";
        }

        /** Returns the name of the queue. */
        public String queue() {
            return outbox.name();
        }

        /** Returns a call with the same payloads and other options. */
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
        /** Sends. Returns one stage for each payload, in the same order. */
        List<CompletionStage<EntryId>> send(Call<T> call);
    }

    /** Sends. Returns one stage for each payload, in the same order. */
    <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next);
}
