package io.georep.spring.listener;

import io.georep.AsyncForwardHandler;
import io.georep.Delivery;
import io.georep.ForwardHandler;
import io.georep.spring.DeadLetterException;
import io.georep.spring.OutboxErrorHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listener's method in the shapes the core calls. The error handler, if any, has its say after each failure. */
final class HandlerCalls<T> {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerCalls.class);

    private final ListenerMethod method;
    private final ListenerSettings settings;
    private final HandlerAdvice advice;
    private final Set<OneTimeAcknowledgement> open = ConcurrentHashMap.newKeySet();

    HandlerCalls(ListenerMethod method, ListenerSettings settings, HandlerAdvice advice) {
        this.method = method;
        this.settings = settings;
        this.advice = advice;
    }

    /** For methods that end with their return. */
    ForwardHandler<T> single() {
        return delivery -> {
            HandlerAdvice.Call call = advice.begin(settings.queue(), settings.id(), List.of(delivery));
            Throwable failure = null;
            try (call) {
                method.call(ListenerInput.of(delivery, null));
            } catch (Throwable e) {
                failure = e;
            }
            call.ended(failure);
            if (failure != null) {
                rethrow(verdict(delivery, failure));
            }
        };
    }

    /** For methods that answer with a stage. */
    AsyncForwardHandler<T> later() {
        return delivery -> {
            HandlerAdvice.Call call = advice.begin(settings.queue(), settings.id(), List.of(delivery));
            CompletionStage<?> stage;
            try (call) {
                stage = (CompletionStage<?>) method.call(ListenerInput.of(delivery, null));
                if (stage == null) {
                    stage = CompletableFuture.failedFuture(
                            new NullPointerException(method + " answered null instead of a stage"));
                }
            } catch (Throwable e) {
                stage = CompletableFuture.failedFuture(e);
            }
            return judged(delivery, stage, call);
        };
    }

    /** For methods that get an acknowledgement. */
    AsyncForwardHandler<T> manual() {
        return delivery -> {
            HandlerAdvice.Call call = advice.begin(settings.queue(), settings.id(), List.of(delivery));
            OneTimeAcknowledgement acknowledgement = opened();
            try (call) {
                method.call(ListenerInput.of(delivery, acknowledgement));
            } catch (Throwable e) {
                acknowledgement.fail(e);
            }
            return judged(delivery, acknowledgement.end(), call);
        };
    }

    private OneTimeAcknowledgement opened() {
        OneTimeAcknowledgement acknowledgement = new OneTimeAcknowledgement();
        open.add(acknowledgement);
        acknowledgement.end().whenComplete((ignored, error) -> open.remove(acknowledgement));
        return acknowledgement;
    }

    /** The listener stopped: what nobody acknowledged goes back to the node, which may hand it to another. */
    void abandon() {
        open.forEach(acknowledgement ->
                acknowledgement.fail(new IllegalStateException("the listener stopped before it was acknowledged")));
    }

    private CompletionStage<?> judged(Delivery<T> delivery, CompletionStage<?> stage, HandlerAdvice.Call call) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        stage.whenComplete((ignored, error) -> {
            Throwable cause = error == null ? null : unwrapped(error);
            call.ended(cause);
            end(delivery, cause, end);
        });
        return end;
    }

    /** Takes one batch. */
    void batch(List<BatchGatherer.Waiting<T>> batch) {
        List<Delivery<T>> deliveries = new ArrayList<>(batch.size());
        batch.forEach(entry -> deliveries.add(entry.delivery()));
        HandlerAdvice.Call call = advice.begin(settings.queue(), settings.id(), deliveries);
        OneTimeAcknowledgement acknowledgement = opened();
        try (call) {
            method.call(ListenerInput.of(deliveries, settings.manual() ? acknowledgement : null));
            if (!settings.manual()) {
                acknowledgement.acknowledge();
            }
        } catch (Throwable e) {
            acknowledgement.fail(e);
        }
        acknowledgement.end().whenComplete((ignored, error) -> {
            Throwable cause = error == null ? null : unwrapped(error);
            call.ended(cause);
            for (BatchGatherer.Waiting<T> entry : batch) {
                end(entry.delivery(), cause, entry.end());
            }
        });
    }

    private void end(Delivery<T> delivery, @Nullable Throwable failure, CompletableFuture<Void> end) {
        Throwable verdict = failure == null ? null : verdict(delivery, failure);
        if (verdict == null) {
            end.complete(null);
        } else {
            end.completeExceptionally(verdict);
        }
    }

    /** What the core is told after a failure; null: forwarded. */
    private @Nullable Throwable verdict(Delivery<T> delivery, Throwable failure) {
        OutboxErrorHandler handler = settings.errorHandler();
        if (handler == null) {
            return failure;
        }
        OutboxErrorHandler.Decision decision;
        try {
            decision = handler.decide(delivery, failure);
        } catch (Throwable e) {
            LOG.error("Listener {}: the error handler failed for {}; it is retried", settings.id(), delivery.id(), e);
            return failure;
        }
        return switch (decision) {
            case RETRY -> failure;
            case DISCARD -> null;
            case DEAD_LETTER ->
                failure instanceof DeadLetterException ? failure : new DeadLetterException(failure.toString(), failure);
        };
    }

    private static Throwable unwrapped(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    private static void rethrow(@Nullable Throwable verdict) throws Exception {
        if (verdict instanceof Exception exception) {
            throw exception;
        }
        if (verdict instanceof Error error) {
            throw error;
        }
    }
}
