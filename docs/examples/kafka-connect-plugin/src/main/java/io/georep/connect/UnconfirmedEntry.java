package io.georep.connect;

import io.georep.outbox.Delivery;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An entry that the task has and Kafka has not confirmed.
 *
 * @param end completes when the entry is forwarded; fails when it is given back
 */
record UnconfirmedEntry(Delivery<byte[]> delivery, CompletableFuture<Void> end) {
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
