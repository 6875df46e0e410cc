package io.georep;

import io.georep.model.EntryId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How entries reach a handler that takes several at once, and what becomes of each when the call fails. Thread-safe. */
final class BatchCalls<T> {
    private static final Logger LOG = LoggerFactory.getLogger(BatchCalls.class);

    private final Forwarder<T> forwarder;
    private final HandlerCall<T> handler;
    private final Suspicion suspicion = new Suspicion();

    BatchCalls(Forwarder<T> forwarder, HandlerCall<T> handler) {
        this.forwarder = forwarder;
        this.handler = handler;
    }

    /** Calls the handler with all of these that may share a call, then with each of the others. */
    void forward(List<Attempt> slice, Forwarder<T>.Report report) {
        if (forwarder.holding()) {
            forwarder.untouched(slice);
            return;
        }
        Call together = new Call(slice.size());
        List<Call> alone = List.of();
        for (Attempt attempt : slice) {
            EntryDelivery<T> delivery = forwarder.prepared(attempt, report);
            if (delivery != null && suspicion.comesAlone(attempt)) {
                alone = alone.isEmpty() ? new ArrayList<>() : alone;
                alone.add(new Call(1).with(attempt, delivery));
            } else if (delivery != null) {
                together.with(attempt, delivery);
            }
        }
        if (!together.attempts.isEmpty()) {
            together.run(report);
        }
        for (Call call : alone) {
            if (forwarder.holding()) {
                forwarder.untouched(call.attempts);
            } else {
                report.sendIfOld();
                call.run(report);
            }
        }
    }

    /** One call of the handler. */
    private final class Call {
        private final List<Attempt> attempts;
        private final List<Delivery<T>> deliveries;
        private final AtomicBoolean failed = new AtomicBoolean();

        Call(int capacity) {
            attempts = new ArrayList<>(capacity);
            deliveries = new ArrayList<>(capacity);
        }

        Call with(Attempt attempt, Delivery<T> delivery) {
            attempts.add(attempt);
            deliveries.add(delivery);
            return this;
        }

        void run(Forwarder<T>.Report report) {
            List<? extends CompletionStage<?>> stages;
            try {
                stages = handler.all(deliveries);
            } catch (BatchFailedException e) {
                failed(e, report);
                return;
            } catch (Throwable e) {
                attempts.forEach(attempt -> failedTogether(attempt, e));
                return;
            }
            if (stages == null) {
                suspicion.callSucceeded();
                attempts.forEach(report::forwarded);
                return;
            }
            for (int i = 0; i < attempts.size(); i++) {
                Attempt attempt = attempts.get(i);
                stages.get(i).whenComplete((ignored, error) -> endedLater(attempt, error));
            }
        }

        /** The handler says which entries failed. */
        private void failed(BatchFailedException error, Forwarder<T>.Report report) {
            Set<EntryId> unknown = new HashSet<>(error.failures().keySet());
            attempts.forEach(attempt -> unknown.remove(attempt.id));
            if (!unknown.isEmpty()) {
                LOG.error(
                        "A batch handler named entries as failed that were not in its batch: {}; the batch counts as"
                                + " failed as a whole",
                        unknown,
                        error);
            }
            for (Attempt attempt : attempts) {
                Throwable own = error.failures().get(attempt.id);
                if (error.failures().isEmpty() || !unknown.isEmpty()) {
                    failedTogether(attempt, error.failures().isEmpty() ? cause(error) : error);
                } else if (own != null) {
                    forwarder.failed(attempt, own);
                } else {
                    report.forwarded(attempt);
                }
            }
        }

        private void endedLater(Attempt attempt, @Nullable Throwable error) {
            if (error == null) {
                suspicion.callSucceeded();
                forwarder.forwardedLater(attempt);
                return;
            }
            Throwable unwrapped = Forwarder.unwrapped(error);
            if (unwrapped instanceof BatchFailedException batch) {
                Throwable own = batch.failures().get(attempt.id);
                if (own == null) {
                    failedTogether(attempt, cause(batch));
                } else {
                    forwarder.failed(attempt, own);
                }
            } else {
                forwarder.failed(attempt, unwrapped);
            }
        }

        private void failedTogether(Attempt attempt, Throwable error) {
            if (failed.compareAndSet(false, true)) {
                suspicion.callFailed();
            }
            if (attempts.size() == 1) {
                forwarder.failed(attempt, error);
            } else {
                suspicion.suspect(attempt);
                forwarder.failedTogether(attempt, error);
            }
        }

        private static Throwable cause(BatchFailedException error) {
            Throwable cause = error.getCause();
            return cause == null ? error : cause;
        }
    }
}
