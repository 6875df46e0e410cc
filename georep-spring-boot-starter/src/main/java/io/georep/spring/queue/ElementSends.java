package io.georep.spring.queue;

import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.outbox.Outbox;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends of elements that have a place in the room of their queue: a place whose element is not stored is free again. */
record ElementSends<T>(Outbox<T> outbox, QueueRoom room) {
    /** A refusal because of a bound is what {@code false} means; any other failure is thrown. */
    boolean offer(T element, long atMostNanos) throws InterruptedException {
        try {
            send(element, atMostNanos);
            return true;
        } catch (RejectedException e) {
            if (e.reason() == RejectedException.Reason.QUEUE_FULL) {
                return false;
            }
            throw e;
        }
    }

    void send(T element, long atMostNanos) throws InterruptedException {
        boolean stored = false;
        try {
            CompletionStage<?> known = outbox.send(element).thenAccept(id -> room.stored(id.stream()));
            known.toCompletableFuture().get(atMostNanos, TimeUnit.NANOSECONDS);
            stored = true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GeoRepException typed) {
                throw typed;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IndeterminateException("no answer in time: the element may still appear");
        } finally {
            if (!stored) {
                // After a time-out or an interruption the element may still arrive and take this place once more; one
                // place too many is harmless, one too few for ever is not.
                room.places().release();
            }
        }
    }
}
