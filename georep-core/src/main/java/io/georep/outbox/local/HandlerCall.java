package io.georep.outbox.local;

import io.georep.outbox.AsyncBatchForwardHandler;
import io.georep.outbox.AsyncForwardHandler;
import io.georep.outbox.BatchForwardHandler;
import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardHandler;
import io.georep.outbox.Hold;
import io.georep.outbox.HoldingForwardHandler;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The five kinds of handler, seen alike. Exactly one of the fields is set. */
record HandlerCall<T>(
        @Nullable ForwardHandler<T> single,
        @Nullable AsyncForwardHandler<T> later,
        @Nullable BatchForwardHandler<T> batch,
        @Nullable AsyncBatchForwardHandler<T> batchLater,
        @Nullable HoldingForwardHandler<T> holding) {
    static <T> HandlerCall<T> of(ForwardHandler<T> handler) {
        return new HandlerCall<>(handler, null, null, null, null);
    }

    static <T> HandlerCall<T> ofLater(AsyncForwardHandler<T> handler) {
        return new HandlerCall<>(null, handler, null, null, null);
    }

    static <T> HandlerCall<T> ofBatch(BatchForwardHandler<T> handler) {
        return new HandlerCall<>(null, null, handler, null, null);
    }

    static <T> HandlerCall<T> ofBatchLater(AsyncBatchForwardHandler<T> handler) {
        return new HandlerCall<>(null, null, null, handler, null);
    }

    static <T> HandlerCall<T> ofHolding(HoldingForwardHandler<T> handler) {
        return new HandlerCall<>(null, null, null, null, handler);
    }

    boolean takesBatches() {
        return batch != null || batchLater != null || holding != null;
    }

    /** Calls the handler for one entry; null when it is forwarded, a stage when the answer comes later. */
    @Nullable
    CompletionStage<?> one(EntryDelivery<T> delivery) throws Exception {
        try {
            return called(delivery);
        } finally {
            forgetInterruption();
        }
    }

    @Nullable
    private CompletionStage<?> called(EntryDelivery<T> delivery) throws Exception {
        if (single != null) {
            single.handle(delivery);
            return null;
        }
        if (later == null) {
            throw new IllegalStateException("a batch handler takes no single entries");
        }
        CompletionStage<?> stage = later.handle(delivery);
        if (stage == null) {
            throw new NullPointerException("the handler returned null instead of a stage");
        }
        return stage;
    }

    /** Whether it keeps what it gets, see {@link #keep}. */
    boolean keeps() {
        return holding != null;
    }

    /** Calls a handler that keeps what it gets. */
    void keep(List<Delivery<T>> deliveries, Hold hold) throws Exception {
        try {
            Objects.requireNonNull(holding).handle(deliveries, hold);
        } finally {
            forgetInterruption();
        }
    }

    /** Calls the handler for several entries; null when all are forwarded, a stage for each when answers come later. */
    @Nullable
    List<? extends CompletionStage<?>> all(List<Delivery<T>> deliveries) throws Exception {
        try {
            return called(deliveries);
        } finally {
            forgetInterruption();
        }
    }

    /** Who interrupted this call did not mean the calls of other entries that follow on the same thread. */
    @SuppressWarnings("ResultOfMethodCallIgnored")
    private static void forgetInterruption() {
        Thread.interrupted();
    }

    @Nullable
    private List<? extends CompletionStage<?>> called(List<Delivery<T>> deliveries) throws Exception {
        if (batch != null) {
            batch.handle(deliveries);
            return null;
        }
        if (batchLater == null) {
            throw new IllegalStateException("this handler takes single entries");
        }
        List<? extends CompletionStage<?>> stages = batchLater.handle(deliveries);
        // Not contains(null): immutable lists throw at the question.
        if (stages == null
                || stages.size() != deliveries.size()
                || stages.stream().anyMatch(Objects::isNull)) {
            throw new IllegalStateException("the handler returned " + (stages == null ? "null" : stages) + " for "
                    + deliveries.size() + " entries: return one stage for each");
        }
        return stages;
    }
}
