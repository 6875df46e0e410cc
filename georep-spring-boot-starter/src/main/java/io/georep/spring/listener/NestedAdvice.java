package io.georep.spring.listener;

import io.georep.outbox.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Several advices, each inside the one before it. Thread-safe. */
final class NestedAdvice implements HandlerAdvice {
    private final List<HandlerAdvice> advices;

    NestedAdvice(List<HandlerAdvice> advices) {
        this.advices = List.copyOf(advices);
    }

    @Override
    public Call begin(String queue, String listener, List<? extends Delivery<?>> deliveries) {
        Calls calls = new Calls();
        try {
            for (HandlerAdvice advice : advices) {
                calls.begun.add(advice.begin(queue, listener, deliveries));
            }
            return calls;
        } catch (Throwable e) {
            calls.close();
            calls.ended(e);
            throw e;
        }
    }

    private static final class Calls implements Call {
        private final List<Call> begun = new ArrayList<>();

        @Override
        public void ended(@Nullable Throwable error) {
            innermostFirst(call -> call.ended(error));
        }

        @Override
        public void close() {
            innermostFirst(Call::close);
        }

        /** If one fails, the others are told nevertheless; the first failure is thrown afterwards. */
        private void innermostFirst(Consumer<Call> action) {
            Throwable failure = null;
            for (int i = begun.size() - 1; i >= 0; i--) {
                try {
                    action.accept(begun.get(i));
                } catch (Throwable e) {
                    failure = failure == null ? e : failure;
                }
            }
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure instanceof RuntimeException error) {
                throw error;
            }
        }
    }
}
