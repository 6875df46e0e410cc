package io.georep.spring.boot.actuate;

import io.georep.model.ClosedException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Waits for what a node answers; a node that stops or hangs meanwhile is a refusal, not an error of the endpoint. */
final class NodeAnswers {
    private static final Duration WITHIN = Duration.ofSeconds(10);

    private NodeAnswers() {}

    /** Returns what a question answers that waits by itself. */
    static <V> V of(Supplier<V> question) {
        try {
            return question.get();
        } catch (ClosedException | IllegalStateException e) {
            throw EndpointRefusal.unavailable(e.getMessage() + ": look at its state, then ask again");
        }
    }

    /** Returns what a stage completes with, within 10 seconds. */
    static <V> V of(CompletionStage<V> stage) {
        try {
            return stage.toCompletableFuture().get(WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw EndpointRefusal.unavailable("the application is stopping: ask another node");
        } catch (ExecutionException e) {
            throw EndpointRefusal.unavailable(
                    "the node did not do it: " + e.getCause() + "; look at its state, then ask again");
        } catch (TimeoutException e) {
            throw EndpointRefusal.unavailable("the node did not answer within " + WITHIN
                    + ": it may still do it; look at its state, then ask again");
        }
    }
}
