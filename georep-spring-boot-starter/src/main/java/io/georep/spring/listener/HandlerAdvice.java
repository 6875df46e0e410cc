package io.georep.spring.listener;

import io.georep.Delivery;
import java.util.List;

/** Something that happens around the calls of listeners, for example an observation. Thread-safe. */
public interface HandlerAdvice {
    /** One call that began. */
    interface Call extends AutoCloseable {
        /** The call ended, perhaps on another thread than it began: with this error, or well. */
        void ended(@org.jspecify.annotations.Nullable Throwable error);

        /** The thread that began the call leaves it. */
        @Override
        void close();
    }

    /** A call begins on this thread. */
    Call begin(String queue, String listener, List<? extends Delivery<?>> deliveries);

    /** Does nothing. */
    static HandlerAdvice none() {
        return (queue, listener, deliveries) -> NoCall.INSTANCE;
    }

    /** A call nobody watches. */
    enum NoCall implements Call {
        INSTANCE;

        @Override
        public void ended(@org.jspecify.annotations.Nullable Throwable error) {}

        @Override
        public void close() {}
    }
}
