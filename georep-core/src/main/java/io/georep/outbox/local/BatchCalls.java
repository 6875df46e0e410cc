package io.georep.outbox.local;

import io.georep.model.EntryId;
import io.georep.outbox.BatchFailedException;
import io.georep.outbox.Delivery;
import io.georep.outbox.Hold;
import io.georep.spi.Complaint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How entries reach a handler that takes several at once, and what becomes of each when the call fails. Thread-safe. */
final class BatchCalls<T> implements Hold {
    private static final Logger LOG = LoggerFactory.getLogger(BatchCalls.class);

    private final Forwarder<T> forwarder;
    private final Outcomes outcomes;
    private final PoisonIsolation isolation = new PoisonIsolation();

    BatchCalls(Forwarder<T> forwarder, Outcomes outcomes) {
        this.forwarder = forwarder;
        this.outcomes = outcomes;
    }

    /** Calls the handler with all of these that may share a call, then with each of the others. */
    void forward(HandlerCall.Batch<T> handler, List<EntryInHand> slice, int recalls, ForwardReport report) {
        if (forwarder.holding(recalls)) {
            forwarder.untouched(slice);
            return;
        }
        long now = forwarder.nanos();
        Call together = new Call(slice.size());
        List<Call> alone = List.of();
        for (EntryInHand attempt : slice) {
            EntryDelivery<T> delivery = forwarder.prepared(attempt, report, now);
            if (delivery != null && isolation.comesAlone(attempt)) {
                alone = alone.isEmpty() ? new ArrayList<>() : alone;
                alone.add(new Call(1).with(attempt, delivery));
            } else if (delivery != null) {
                together.with(attempt, delivery);
            }
        }
        if (!together.attempts.isEmpty()) {
            together.run(handler, report);
        }
        for (Call call : alone) {
            if (forwarder.holding(recalls)) {
                forwarder.untouched(call.attempts);
            } else {
                report.sendIfOld(forwarder.nanos());
                call.run(handler, report);
            }
        }
    }

    @Override
    public void forwarded(Collection<? extends Delivery<?>> deliveries) {
        for (Delivery<?> delivery : deliveries) {
            inHold(delivery).heldFor(this);
        }
        ForwardReport report = outcomes.report(deliveries.size());
        for (Delivery<?> delivery : deliveries) {
            EntryDelivery<?> held = inHold(delivery);
            outcomes.forwarded(held.heldFor(this), held.hand(), report);
        }
        isolation.callSucceeded();
        outcomes.send(report);
    }

    @Override
    public void failed(Delivery<?> delivery, Throwable error) {
        EntryDelivery<?> held = inHold(delivery);
        outcomes.failed(held.heldFor(this), held.hand(), Outcomes.unwrapped(error));
    }

    private static EntryDelivery<?> inHold(Delivery<?> delivery) {
        if (delivery instanceof EntryDelivery<?> held) {
            return held;
        }
        throw new IllegalArgumentException(delivery + " did not come from an outbox");
    }

    /** One call of the handler. */
    private final class Call {
        private final List<EntryInHand> attempts;
        private final List<Delivery<T>> deliveries;
        private final AtomicBoolean failed = new AtomicBoolean();

        Call(int capacity) {
            attempts = new ArrayList<>(capacity);
            deliveries = new ArrayList<>(capacity);
        }

        Call with(EntryInHand attempt, Delivery<T> delivery) {
            attempts.add(attempt);
            deliveries.add(delivery);
            return this;
        }

        void run(HandlerCall.Batch<T> handler, ForwardReport report) {
            attempts.forEach(attempt -> attempt.called = true);
            if (handler instanceof HandlerCall.Holding<T> holding) {
                hold(holding);
            } else if (handler instanceof HandlerCall.Passing<T> passing) {
                pass(passing, report);
            }
        }

        private void pass(HandlerCall.Passing<T> handler, ForwardReport report) {
            List<? extends CompletionStage<?>> stages;
            try {
                stages = handler.call(deliveries);
            } catch (BatchFailedException e) {
                failed(e, report);
                return;
            } catch (Throwable e) {
                attempts.forEach(attempt -> failedTogether(attempt, attempt.hand(), e));
                return;
            }
            if (stages == null) {
                isolation.callSucceeded();
                attempts.forEach(attempt -> outcomes.forwarded(attempt, attempt.hand(), report));
                return;
            }
            for (int i = 0; i < attempts.size(); i++) {
                EntryInHand attempt = attempts.get(i);
                int hand = attempt.hand();
                try {
                    outcomes.endWith(stages.get(i), attempt, hand, this::endedLater);
                } catch (Throwable e) {
                    outcomes.failed(attempt, hand, e);
                }
            }
        }

        /** The handler may end entries before it returns, and then fail: what counts is the time in hands from before. */
        private void hold(HandlerCall.Holding<T> handler) {
            int[] hands = new int[attempts.size()];
            for (int i = 0; i < hands.length; i++) {
                EntryInHand attempt = attempts.get(i);
                hands[i] = attempt.hand();
                attempt.withStage = true;
                ((EntryDelivery<T>) deliveries.get(i)).heldBy(BatchCalls.this, attempt);
            }
            try {
                handler.call(deliveries, BatchCalls.this);
            } catch (Throwable e) {
                for (int i = 0; i < hands.length; i++) {
                    failedTogether(attempts.get(i), hands[i], e);
                }
            }
        }

        /** The handler says which entries failed. */
        private void failed(BatchFailedException error, ForwardReport report) {
            Set<EntryId> unknown = new HashSet<>(error.failures().keySet());
            attempts.forEach(attempt -> unknown.remove(attempt.id));
            if (!unknown.isEmpty()) {
                Complaint.log(
                        LOG,
                        "A batch handler named entries as failed that were not in its batch: {}; the batch counts as"
                                + " failed as a whole",
                        unknown,
                        error);
            }
            for (EntryInHand attempt : attempts) {
                int hand = attempt.hand();
                Throwable own = error.failures().get(attempt.id);
                if (error.failures().isEmpty() || !unknown.isEmpty()) {
                    failedTogether(attempt, hand, error.failures().isEmpty() ? cause(error) : error);
                } else if (own != null) {
                    outcomes.failed(attempt, hand, own);
                } else {
                    outcomes.forwarded(attempt, hand, report);
                }
            }
        }

        private void endedLater(EntryInHand attempt, int hand, @Nullable Throwable error) {
            if (error == null) {
                isolation.callSucceeded();
                outcomes.forwardedLater(attempt, hand);
                return;
            }
            Throwable unwrapped = Outcomes.unwrapped(error);
            if (unwrapped instanceof BatchFailedException batch) {
                Throwable own = batch.failures().get(attempt.id);
                if (own == null) {
                    failedTogether(attempt, hand, cause(batch));
                } else {
                    outcomes.failed(attempt, hand, own);
                }
            } else {
                outcomes.failed(attempt, hand, unwrapped);
            }
        }

        private void failedTogether(EntryInHand attempt, int hand, Throwable error) {
            if (failed.compareAndSet(false, true)) {
                isolation.callFailed();
            }
            if (attempts.size() == 1) {
                outcomes.failed(attempt, hand, error);
            } else {
                isolation.suspect(attempt);
                outcomes.failedTogether(attempt, hand, error);
            }
        }

        private static Throwable cause(BatchFailedException error) {
            Throwable cause = error.getCause();
            return cause == null ? error : cause;
        }
    }
}
