package io.georep.spring.listener;

import io.georep.outbox.Delivery;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that happens around the calls of listeners, for example an observation. Thread-safe. */
public interface HandlerAdvice {
    /** One call that began. */
    interface Call extends AutoCloseable {
        /** The call ended, perhaps on another thread than it began: with this error, or well. */
        void ended(@Nullable Throwable error);

        /** The thread that began the call leaves it. */
        @Override
        void close();
    }

    /** A call begins on this thread. */
    Call begin(String queue, String listener, List<? extends Delivery<?>> deliveries);

    /** Returns an advice of all of these, each inside the one before it. */
    static HandlerAdvice all(List<HandlerAdvice> advices) {
        return switch (advices.size()) {
            case 0 -> (queue, listener, deliveries) -> NoCall.INSTANCE;
            case 1 -> advices.get(0);
            default -> new NestedAdvice(advices);
        };
    }

    /** A call that nobody observes. */
    enum NoCall implements Call {
        INSTANCE;

        @Override
        public void ended(@Nullable Throwable error) {}

        @Override
        public void close() {}
    }
}
