package io.georep.examples.sms.tables;

import io.georep.model.ClosedException;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the outcome of a write. */
final class Waiting {
    private Waiting() {}

    /** Returns the outcome, or throws what went wrong as it is. */
    static <T> T forAnswer(CompletionStage<T> write, Duration atMost) {
        try {
            return write.toCompletableFuture().get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GeoRepException known) {
                throw known;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IndeterminateException("no answer within " + atMost + ": look whether it was done");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClosedException("this gateway is leaving");
        }
    }
}
