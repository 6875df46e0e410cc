package io.georep;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The three kinds of handler, seen alike. Exactly one of the fields is set. */
record HandlerCall<T>(
        @Nullable ForwardHandler<T> single,
        @Nullable AsyncForwardHandler<T> later,
        @Nullable BatchForwardHandler<T> batch) {
    static <T> HandlerCall<T> of(ForwardHandler<T> handler) {
        return new HandlerCall<>(handler, null, null);
    }

    static <T> HandlerCall<T> ofLater(AsyncForwardHandler<T> handler) {
        return new HandlerCall<>(null, handler, null);
    }

    static <T> HandlerCall<T> ofBatch(BatchForwardHandler<T> handler) {
        return new HandlerCall<>(null, null, handler);
    }

    boolean takesBatches() {
        return batch != null;
    }

    /** Calls the handler for one entry; null when it is forwarded, a stage when the answer comes later. */
    @Nullable
    CompletionStage<?> one(EntryDelivery<T> delivery) throws Exception {
        if (single != null) {
            single.handle(delivery);
            return null;
        }
        if (later == null) {
            throw new IllegalStateException("a batch handler takes no single entries");
        }
        CompletionStage<?> stage = later.handle(delivery);
        if (stage == null) {
            throw new NullPointerException("the handler answered null instead of a stage");
        }
        return stage;
    }

    /** Calls the handler for several entries. */
    void all(List<Delivery<T>> deliveries) throws Exception {
        if (batch == null) {
            throw new IllegalStateException("this handler takes single entries");
        }
        batch.handle(deliveries);
    }
}
