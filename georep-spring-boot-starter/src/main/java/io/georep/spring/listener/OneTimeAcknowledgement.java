package io.georep.spring.listener;

import io.georep.spring.Acknowledgement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Ends a delivery through a future. */
final class OneTimeAcknowledgement implements Acknowledgement {
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    @Override
    public void acknowledge() {
        end.complete(null);
    }

    @Override
    public void fail(Throwable cause) {
        end.completeExceptionally(cause);
    }

    @Override
    public boolean ended() {
        return end.isDone();
    }

    /** Completes when the delivery ended. */
    CompletionStage<Void> end() {
        return end;
    }
}
