package io.georep;

import io.georep.model.ClosedException;
import io.georep.runtime.CallQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The futures of questions to protocols that are not answered yet. The future of a question is its token. */
@SuppressWarnings("CollectionUndefinedEquality") // the identity of the future is what is meant
final class PendingAnswers {
    private final Set<CompletableFuture<Object>> waiting = ConcurrentHashMap.newKeySet();

    /** Registers a question and asks it; the sender returns false when the node is stopped. */
    @SuppressWarnings("unchecked")
    <R> CompletableFuture<R> ask(Predicate<Object> sender) {
        CompletableFuture<Object> token = new CompletableFuture<>();
        waiting.add(token);
        if (!sender.test(token)) {
            waiting.remove(token);
            token.completeExceptionally(CallQueue.closedException());
        }
        return (CompletableFuture<R>) token;
    }

    /** Answers a question. */
    @SuppressWarnings("unchecked")
    void answer(Object token, Object answer) {
        if (waiting.remove(token)) {
            ((CompletableFuture<Object>) token).complete(answer);
        }
    }

    /** Drops a question whose answer nobody wants any more. */
    void forget(Object token) {
        waiting.remove(token);
    }

    /** Fails all questions: the node is stopped. */
    void close() {
        ClosedException closed = CallQueue.closedException();
        for (CompletableFuture<Object> token : waiting) {
            token.completeExceptionally(closed);
        }
        waiting.clear();
    }
}
