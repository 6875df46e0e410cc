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

/** The three ways to call the five kinds of handler. */
sealed interface HandlerCall<T> {
    /** A call of the application's code. */
    @FunctionalInterface
    interface Code<E, R> {
        @Nullable
        R call(E given) throws Exception;
    }

    /**
     * With one entry.
     *
     * @param code returns null when it is forwarded, a stage when the answer comes later
     */
    record Single<T>(Code<Delivery<T>, CompletionStage<?>> code) implements HandlerCall<T> {
        @Nullable
        CompletionStage<?> call(Delivery<T> delivery) throws Exception {
            return uninterrupted(code, delivery);
        }
    }

    /** With several entries. */
    sealed interface Batch<T> extends HandlerCall<T> {}

    /**
     * With several entries, at the end of which, or of whose stages, they are not the handler's any more.
     *
     * @param code returns null when all are forwarded, a stage for each when answers come later
     */
    record Passing<T>(Code<List<Delivery<T>>, List<? extends CompletionStage<?>>> code) implements Batch<T> {
        @Nullable
        List<? extends CompletionStage<?>> call(List<Delivery<T>> deliveries) throws Exception {
            return uninterrupted(code, deliveries);
        }
    }

    /** With several entries that the handler keeps. */
    record Holding<T>(HoldingForwardHandler<T> handler) implements Batch<T> {
        void call(List<Delivery<T>> deliveries, Hold hold) throws Exception {
            uninterrupted(
                    given -> {
                        handler.handle(given, hold);
                        return null;
                    },
                    deliveries);
        }
    }

    static <T> HandlerCall<T> of(ForwardHandler<T> handler) {
        return new Single<>(delivery -> {
            handler.handle(delivery);
            return null;
        });
    }

    static <T> HandlerCall<T> ofLater(AsyncForwardHandler<T> handler) {
        return new Single<>(delivery ->
                Objects.requireNonNull(handler.handle(delivery), "the handler returned null instead of a stage"));
    }

    static <T> HandlerCall<T> ofBatch(BatchForwardHandler<T> handler) {
        return new Passing<>(deliveries -> {
            handler.handle(deliveries);
            return null;
        });
    }

    static <T> HandlerCall<T> ofBatchLater(AsyncBatchForwardHandler<T> handler) {
        return new Passing<>(deliveries -> {
            List<? extends CompletionStage<?>> stages = handler.handle(deliveries);
            // Not contains(null): immutable lists throw at the question.
            if (stages == null
                    || stages.size() != deliveries.size()
                    || stages.stream().anyMatch(Objects::isNull)) {
                throw new IllegalStateException("the handler returned " + (stages == null ? "null" : stages) + " for "
                        + deliveries.size() + " entries: return one stage for each");
            }
            return stages;
        });
    }

    static <T> HandlerCall<T> ofHolding(HoldingForwardHandler<T> handler) {
        return new Holding<>(handler);
    }

    /** Who interrupted this call did not mean the calls of other entries that follow on the same thread. */
    @SuppressWarnings("ResultOfMethodCallIgnored")
    private static <E, R> @Nullable R uninterrupted(Code<E, R> code, E given) throws Exception {
        try {
            return code.call(given);
        } finally {
            Thread.interrupted();
        }
    }
}
