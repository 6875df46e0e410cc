package io.georep.spring.listener;

import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Retry;
import io.georep.spring.OutboxErrorHandler;
import org.jspecify.annotations.Nullable;

/** Everything a listener was told, resolved. */
record ListenerSettings(
        String id,
        String queue,
        boolean batch,
        boolean manual,
        boolean autoStartup,
        int concurrency,
        int window,
        int batchMax,
        Retry retry,
        @Nullable OutboxErrorHandler errorHandler) {

    /** Throws a {@link io.georep.model.ConfigurationException} for a number that is out of bounds. */
    void check() {
        new ForwardOptions().concurrency(concurrency).window(window).batchMax(batchMax);
    }
}
