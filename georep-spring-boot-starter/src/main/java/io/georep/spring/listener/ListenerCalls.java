package io.georep.spring.listener;

import io.georep.logging.LimitedLog;
import io.georep.logging.SafeLog;
import io.georep.model.EntryId;
import io.georep.outbox.BatchFailedException;
import io.georep.outbox.BatchForwardHandler;
import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardHandler;
import io.georep.spring.DeadLetterException;
import io.georep.spring.OutboxErrorHandler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a listener's method the shapes that the core calls. If there is an error handler, it decides after each
 * failure.
 */
final class ListenerCalls<T> {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerCalls.class);

    private final ListenerMethod method;
    private final ListenerSettings settings;
    private final HandlerAdvice advice;
    private final LimitedLog failures = new LimitedLog(LOG);
    private final Set<OneTimeAcknowledgement> open = ConcurrentHashMap.newKeySet();

    ListenerCalls(ListenerMethod method, ListenerSettings settings, HandlerAdvice advice) {
        this.method = method;
        this.settings = settings;
        this.advice = advice;
    }

    /** Returns the handler for methods that take one entry. */
    ForwardHandler<T> single() {
        return delivery -> {
            List<Delivery<T>> one = List.of(delivery);
            HandlerAdvice.Call call = begun(one);
            OneTimeAcknowledgement acknowledgement = settings.manual() ? opened() : null;
            Object result = null;
            Throwable failure = null;
            try (call) {
                result = method.call(
                        acknowledgement == null
                                ? ListenerInput.of(one)
                                : ListenerInput.of(one, acknowledgement, List.of()));
            } catch (Throwable e) {
                failure = e;
            }
            if (acknowledgement != null) {
                if (failure != null) {
                    acknowledgement.fail(failure);
                }
                delivery.endsWith(judged(delivery, acknowledgement.end(), call));
            } else if (failure == null && result instanceof CompletionStage<?> stage) {
                delivery.endsWith(judged(delivery, stage, call));
            } else {
                if (failure == null && method.answersLater()) {
                    failure = new NullPointerException(method + " returned null instead of a stage");
                }
                call.ended(failure);
                rethrow(failure == null ? null : verdict(delivery, failure));
            }
        };
    }

    private OneTimeAcknowledgement opened() {
        OneTimeAcknowledgement acknowledgement = new OneTimeAcknowledgement();
        open.add(acknowledgement);
        acknowledgement.end().whenComplete((ignored, error) -> open.remove(acknowledgement));
        return acknowledgement;
    }

    /**
     * The listener has stopped: what nobody has acknowledged goes back to the node, which may give it to another one.
     */
    void abandon() {
        open.forEach(acknowledgement -> acknowledgement.fail(new ListenerStopped()));
    }

    private CompletionStage<?> judged(Delivery<T> delivery, CompletionStage<?> stage, HandlerAdvice.Call call) {
        return judged(delivery, stage.handle((ignored, error) -> {
            Throwable failure = error == null ? null : unwrapped(error);
            call.ended(failure);
            return failure;
        }));
    }

    /** Returns the end of an entry whose failure, or null, becomes known later. It always ends, whatever error handlers do. */
    private CompletableFuture<Void> judged(Delivery<T> delivery, CompletionStage<@Nullable Throwable> failures) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        failures.thenAccept(failure -> {
            Throwable verdict = failure;
            try {
                verdict = failure == null ? null : verdict(delivery, failure);
            } finally {
                if (verdict == null) {
                    end.complete(null);
                } else {
                    end.completeExceptionally(verdict);
                }
            }
        });
        return end;
    }

    private HandlerAdvice.Call begun(List<Delivery<T>> deliveries) {
        HandlerAdvice.Call call = advice.begin(settings.queue(), settings.id(), deliveries);
        return call == HandlerAdvice.NoCall.INSTANCE ? call : new QuietCall(call, settings.id(), failures);
    }

    /** Returns the handler for methods that take lists. */
    BatchForwardHandler<T> batch() {
        return settings.manual() ? this::manualBatch : this::batch;
    }

    private void batch(List<Delivery<T>> deliveries) throws Exception {
        HandlerAdvice.Call call = begun(deliveries);
        Throwable failure = null;
        try (call) {
            method.call(ListenerInput.of(deliveries));
        } catch (Throwable e) {
            failure = e;
        }
        call.ended(failure);
        rethrow(failure == null ? null : verdict(deliveries, failure));
    }

    private void manualBatch(List<Delivery<T>> deliveries) {
        HandlerAdvice.Call call = begun(deliveries);
        List<OneTimeAcknowledgement> each =
                deliveries.stream().map(delivery -> opened()).toList();
        BatchAcknowledgement all = new BatchAcknowledgement(deliveries, each);
        try (call) {
            method.call(ListenerInput.of(deliveries, all, each));
        } catch (Throwable e) {
            all.fail(e);
        }
        for (int i = 0; i < each.size(); i++) {
            Delivery<T> delivery = deliveries.get(i);
            CompletionStage<@Nullable Throwable> failure = each.get(i)
                    .end()
                    .handle((ignored, error) ->
                            error == null ? null : BatchAcknowledgement.ofOne(delivery.id(), unwrapped(error)));
            delivery.endsWith(judged(delivery, failure));
        }
        all.ends().whenComplete((ignored, error) -> call.ended(error == null ? null : unwrapped(error)));
    }

    /**
     * Returns what the core is told after a batch failed; null if all entries were forwarded. Entries that failed
     * together are not judged yet.
     */
    private @Nullable Throwable verdict(List<Delivery<T>> deliveries, Throwable failure) {
        Map<EntryId, Throwable> named = new HashMap<>();
        if (failure instanceof BatchFailedException batch) {
            named.putAll(batch.failures());
        }
        if (named.isEmpty()) {
            return deliveries.size() == 1 ? verdict(deliveries.get(0), BatchAcknowledgement.own(failure)) : failure;
        }
        for (Delivery<T> delivery : deliveries) {
            Throwable own = named.get(delivery.id());
            Throwable verdict = own == null ? null : verdict(delivery, own);
            if (verdict == null) {
                named.remove(delivery.id());
            } else {
                named.put(delivery.id(), verdict);
            }
        }
        return named.isEmpty() ? null : new BatchFailedException(named);
    }

    /** Returns what the core is told after a failure; null if the entry was forwarded. */
    private @Nullable Throwable verdict(Delivery<T> delivery, Throwable failure) {
        OutboxErrorHandler handler = settings.errorHandler();
        boolean shared = failure instanceof BatchFailedException;
        if (handler == null || shared || failure instanceof ListenerStopped) {
            return failure;
        }
        OutboxErrorHandler.Decision decision;
        try {
            decision = Objects.requireNonNull(handler.decide(delivery, failure), "it returned null");
        } catch (Throwable e) {
            failures.error(
                    "Listener {}: the error handler failed for {}; it is retried", settings.id(), delivery.id(), e);
            return failure;
        }
        return switch (decision) {
            case RETRY -> failure;
            case DISCARD -> null;
            case DEAD_LETTER ->
                failure instanceof DeadLetterException
                        ? failure
                        : new DeadLetterException(SafeLog.text(failure), failure);
        };
    }

    private static Throwable unwrapped(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    /** A mistake of the advice after the call is no failure of the entries, because another call would not mend it. */
    private record QuietCall(HandlerAdvice.Call call, String listener, LimitedLog failures)
            implements HandlerAdvice.Call {
        @Override
        public void ended(@Nullable Throwable error) {
            try {
                call.ended(error);
            } catch (Throwable e) {
                failed(e);
            }
        }

        @Override
        public void close() {
            try {
                call.close();
            } catch (Throwable e) {
                failed(e);
            }
        }

        private void failed(Throwable error) {
            failures.error("Listener {}: the advice failed after a call", listener, error);
        }
    }

    /** This is no failure of the entry: it goes back as it was. */
    private static final class ListenerStopped extends CancellationException {
        private static final long serialVersionUID = 1L;

        ListenerStopped() {
            super("the listener stopped before the entry was acknowledged");
        }
    }

    /** Whatever was thrown: a normal return would say that the entry was forwarded. */
    private static void rethrow(@Nullable Throwable verdict) throws Exception {
        if (verdict == null) {
            return;
        }
        if (verdict instanceof Exception exception) {
            throw exception;
        }
        if (verdict instanceof Error error) {
            throw error;
        }
        throw new ExecutionException(verdict);
    }
}
