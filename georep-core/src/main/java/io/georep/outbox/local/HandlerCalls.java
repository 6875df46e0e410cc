package io.georep.outbox.local;

import io.georep.logging.SafeLog;
import io.georep.model.EntryId;
import io.georep.outbox.BatchFailedException;
import io.georep.outbox.BatchForwardHandler;
import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardHandler;
import io.georep.outbox.Hold;
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

/**
 * The ways in which entries reach a handler, and what becomes of each entry when the call ends, or later if the handler
 * keeps it. Thread-safe.
 */
final class HandlerCalls<T> implements Hold {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerCalls.class);

    private final Forwarder<T> forwarder;
    private final Outcomes outcomes;
    private final PoisonIsolation isolation = new PoisonIsolation();

    HandlerCalls(Forwarder<T> forwarder, Outcomes outcomes) {
        this.forwarder = forwarder;
        this.outcomes = outcomes;
    }

    /** Calls a handler with the entries of a slice. */
    @FunctionalInterface
    interface Invoker<T> {
        /**
         * Calls the handler.
         *
         * @param recalls number of the last recall before the slice was claimed
         */
        void forward(HandlerCalls<T> calls, List<EntryInHand> slice, int recalls, ForwardReport report);
    }

    /** One entry at a time. */
    static <T> Invoker<T> one(ForwardHandler<T> handler) {
        return (calls, slice, recalls, report) -> calls.each(handler, slice, recalls, report);
    }

    /** Several at once. */
    static <T> Invoker<T> batch(BatchForwardHandler<T> handler) {
        return (calls, slice, recalls, report) -> calls.together(handler, slice, recalls, report);
    }

    private void each(ForwardHandler<T> handler, List<EntryInHand> slice, int recalls, ForwardReport report) {
        long now = forwarder.nanos();
        Call call = new Call(this, List.of());
        for (int i = 0; i < slice.size(); i++) {
            if (forwarder.holding(recalls)) {
                forwarder.untouched(slice.subList(i, slice.size()));
                return;
            }
            EntryDelivery<T> delivery = forwarder.prepared(slice.get(i), report, now);
            if (delivery != null) {
                hand(delivery, call);
                try {
                    handler.handle(delivery);
                    returned(delivery, report);
                } catch (Throwable e) {
                    if (delivery.done()) {
                        returned(delivery, report);
                    } else {
                        outcomes.failed(delivery.inHand(), delivery.hand(), e);
                    }
                } finally {
                    forgetInterrupt();
                }
                now = forwarder.nanos();
                report.sendIfOld(now);
            }
        }
    }

    /**
     * Clears an interrupt of the call, which was not meant for the calls of other entries that follow on the same
     * thread.
     */
    @SuppressWarnings("ResultOfMethodCallIgnored")
    private static void forgetInterrupt() {
        Thread.interrupted();
    }

    /** Calls the handler with all of these that may share a call, then with each of the others. */
    private void together(BatchForwardHandler<T> handler, List<EntryInHand> slice, int recalls, ForwardReport report) {
        if (forwarder.holding(recalls)) {
            forwarder.untouched(slice);
            return;
        }
        long now = forwarder.nanos();
        List<EntryDelivery<T>> together = new ArrayList<>(slice.size());
        List<EntryDelivery<T>> alone = new ArrayList<>(0);
        for (EntryInHand inHand : slice) {
            EntryDelivery<T> delivery = forwarder.prepared(inHand, report, now);
            if (delivery != null) {
                (isolation.comesAlone(inHand) ? alone : together).add(delivery);
            }
        }
        if (!together.isEmpty()) {
            call(handler, together, report);
        }
        for (EntryDelivery<T> delivery : alone) {
            if (forwarder.holding(recalls)) {
                forwarder.untouched(List.of(delivery.inHand()));
            } else {
                report.sendIfOld(forwarder.nanos());
                call(handler, List.of(delivery), report);
            }
        }
    }

    private void hand(EntryDelivery<T> delivery, Call call) {
        delivery.handedTo(call);
        forwarder.handed(delivery);
    }

    private void call(BatchForwardHandler<T> handler, List<EntryDelivery<T>> entries, ForwardReport report) {
        Call call = new Call(this, entries.stream().map(EntryDelivery::id).toList());
        entries.forEach(delivery -> hand(delivery, call));
        try {
            handler.handle(new ArrayList<>(entries));
        } catch (BatchFailedException e) {
            failed(entries, e, report);
            return;
        } catch (Throwable e) {
            entries.forEach(delivery -> failedTogether(delivery, e, report));
            return;
        } finally {
            forgetInterrupt();
        }
        for (EntryDelivery<T> delivery : entries) {
            returned(delivery, report);
        }
    }

    /** The handler may say which entries failed. */
    private void failed(List<EntryDelivery<T>> entries, BatchFailedException error, ForwardReport report) {
        for (EntryDelivery<T> delivery : entries) {
            Throwable own = error.failures().get(delivery.id());
            if (!delivery.call().tellsFailures(error)) {
                failedTogether(delivery, whole(error), report);
            } else if (own != null) {
                outcomes.failed(delivery.inHand(), delivery.hand(), own);
            } else {
                returned(delivery, report);
            }
        }
    }

    /** The handler said nothing else about this entry. */
    private void returned(EntryDelivery<?> delivery, ForwardReport report) {
        if (!delivery.kept()) {
            isolation.callSucceeded();
            outcomes.forwarded(delivery.inHand(), delivery.hand(), report);
        }
    }

    private void failedTogether(EntryDelivery<?> delivery, Throwable error, ForwardReport report) {
        if (delivery.done()) {
            returned(delivery, report);
        } else {
            failedTogether(delivery, error);
        }
    }

    private void failedTogether(EntryDelivery<?> delivery, Throwable error) {
        EntryInHand inHand = delivery.inHand();
        Call call = delivery.call();
        if (call.failed.compareAndSet(false, true)) {
            isolation.callFailed();
        }
        if (call.size() == 1) {
            outcomes.failed(inHand, delivery.hand(), error);
        } else {
            isolation.suspect(inHand);
            outcomes.failedTogether(inHand, delivery.hand(), error);
        }
    }

    /** Returns why a batch failed as a whole: also if its handler named failures, but not of this batch. */
    private static Throwable whole(BatchFailedException error) {
        Throwable cause = error.getCause();
        return cause == null || !error.failures().isEmpty() ? error : cause;
    }

    /** An entry that the handler kept ends with this stage. */
    private void endsWith(EntryDelivery<?> delivery, CompletionStage<?> stage) {
        EntryInHand inHand = delivery.inHand();
        outcomes.endWith(stage, inHand, delivery.hand(), error -> {
            if (error == null || othersFailed(delivery, Outcomes.unwrapped(error))) {
                isolation.callSucceeded();
                outcomes.forwardedLater(inHand, delivery.hand());
            } else {
                failedLater(delivery, error);
            }
        });
    }

    /** A stage may stand for several entries and fail for some of them, by name. */
    private static boolean othersFailed(EntryDelivery<?> delivery, Throwable error) {
        return error instanceof BatchFailedException batch
                && delivery.call().tellsFailures(batch)
                && !batch.failures().containsKey(delivery.id());
    }

    private void failedLater(EntryDelivery<?> delivery, Throwable error) {
        Throwable unwrapped = Outcomes.unwrapped(error);
        Throwable own = unwrapped;
        if (delivery.call().size() > 0 && unwrapped instanceof BatchFailedException batch) {
            own = delivery.call().tellsFailures(batch) ? batch.failures().get(delivery.id()) : null;
        }
        if (own == null) {
            failedTogether(delivery, whole((BatchFailedException) unwrapped));
        } else {
            outcomes.failed(delivery.inHand(), delivery.hand(), own);
        }
    }

    @Override
    public void forwarded(Collection<? extends Delivery<?>> deliveries) {
        deliveries.forEach(this::inThisHold);
        ForwardReport report = outcomes.report(deliveries.size());
        for (Delivery<?> delivery : deliveries) {
            EntryDelivery<?> held = inThisHold(delivery);
            outcomes.forwarded(held.inHand(), held.hand(), report);
        }
        isolation.callSucceeded();
        outcomes.send(report);
    }

    @Override
    public void failed(Delivery<?> delivery, Throwable error) {
        EntryDelivery<?> held = inThisHold(delivery);
        try {
            failedLater(held, error);
        } catch (OutOfMemoryError e) {
            forwarder.fail(e);
            throw e;
        }
    }

    private EntryDelivery<?> inThisHold(Delivery<?> delivery) {
        if (delivery instanceof EntryDelivery<?> held && held.hold() == this) {
            return held;
        }
        throw new IllegalArgumentException(delivery + " is not in this hold: end it with what its keep() returned");
    }

    /** A call of a handler that takes batches; or, without ids, calls of one that takes entries one by one. */
    static final class Call {
        private final HandlerCalls<?> calls;
        private final List<EntryId> ids;
        private final AtomicBoolean failed = new AtomicBoolean();

        /** An error is judged once for all its entries. */
        private @Nullable BatchFailedException judged;

        private boolean tellsFailures;

        Call(HandlerCalls<?> calls, List<EntryId> ids) {
            this.calls = calls;
            this.ids = ids;
        }

        int size() {
            return ids.size();
        }

        /** Returns whether an error says which entries failed and which did not: it names some, all of this batch. */
        synchronized boolean tellsFailures(BatchFailedException error) {
            if (judged != error) {
                Set<EntryId> unknown = new HashSet<>(error.failures().keySet());
                tellsFailures = !unknown.isEmpty() && !ids.isEmpty();
                ids.forEach(unknown::remove);
                if (tellsFailures && !unknown.isEmpty()) {
                    tellsFailures = false;
                    SafeLog.log(
                            LOG,
                            "A batch handler named entries as failed that were not in its batch: {}; the batch counts as"
                                    + " failed as a whole",
                            unknown,
                            error);
                }
                judged = error;
            }
            return tellsFailures;
        }

        Hold hold() {
            return calls;
        }

        void endsWith(EntryDelivery<?> delivery, CompletionStage<?> stage) {
            calls.endsWith(delivery, stage);
        }
    }
}
