package io.georep.spring.outbox;

import io.georep.model.EntryId;
import io.georep.model.StreamId;
import io.georep.outbox.Adoption;
import io.georep.outbox.AsyncBatchForwardHandler;
import io.georep.outbox.AsyncForwardHandler;
import io.georep.outbox.BatchForwardHandler;
import io.georep.outbox.DeadLetters;
import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardHandler;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Forwarding;
import io.georep.outbox.HoldingForwardHandler;
import io.georep.outbox.Outbox;
import io.georep.outbox.QueueStatistics;
import io.georep.outbox.SendOptions;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** An outbox whose sends take the advice of the application's context; everything else goes straight to the node. */
final class SpringOutbox<T> implements Outbox<T> {
    private final Outbox<T> outbox;
    private final List<SendAdvice> advice;
    private final Withdrawals withdrawals;
    private final BooleanSupplier onApplicationThread;

    SpringOutbox(
            Outbox<T> outbox, List<SendAdvice> advice, Withdrawals withdrawals, BooleanSupplier onApplicationThread) {
        this.withdrawals = withdrawals;
        this.outbox = outbox;
        this.advice = advice;
        this.onApplicationThread = onApplicationThread;
    }

    @Override
    public String name() {
        return outbox.name();
    }

    @Override
    public CompletionStage<EntryId> send(T payload) {
        return send(payload, SendOptions.defaults());
    }

    @Override
    public CompletionStage<EntryId> send(T payload, SendOptions options) {
        if (advice.isEmpty()) {
            return outbox.send(payload, options);
        }
        return advised(new SendAdvice.Call<>(outbox, List.of(payload), options), 0)
                .get(0);
    }

    @Override
    public List<CompletionStage<EntryId>> sendAll(List<? extends T> payloads) {
        return sendAll(payloads, SendOptions.defaults());
    }

    @Override
    public List<CompletionStage<EntryId>> sendAll(List<? extends T> payloads, SendOptions options) {
        if (advice.isEmpty() || payloads.isEmpty()) {
            return outbox.sendAll(payloads, options);
        }
        return advised(new SendAdvice.Call<>(outbox, payloads, options), 0);
    }

    private List<CompletionStage<EntryId>> advised(SendAdvice.Call<T> call, int from) {
        if (from < advice.size()) {
            return advice.get(from).send(call, next -> advised(next, from + 1));
        }
        if (call.payloads().size() == 1) {
            return List.of(outbox.send(call.payloads().get(0), call.options()));
        }
        return outbox.sendAll(call.payloads(), call.options());
    }

    @Override
    public EntryId sendAndWait(T payload, Duration atMost) {
        if (advice.isEmpty() || onApplicationThread.getAsBoolean()) {
            return outbox.sendAndWait(payload, atMost); // which refuses to wait for itself
        }
        return Outbox.super.sendAndWait(payload, atMost);
    }

    @Override
    public CompletionStage<EntryId> prepare(T payload, SendOptions options) {
        return outbox.prepare(payload, options);
    }

    @Override
    public void decide(Collection<EntryId> ids, boolean commit) {
        List<EntryId> all = List.copyOf(ids);
        outbox.decide(all, commit);
        if (!commit) {
            withdrawals.tell(name(), all);
        }
    }

    @Override
    public CompletionStage<List<Delivery<T>>> undecided(@Nullable EntryId after, int max) {
        return outbox.undecided(after, max);
    }

    @Override
    public Outbox<T> onUndecided(LongConsumer callback) {
        outbox.onUndecided(callback);
        return this;
    }

    @Override
    public Outbox<T> onEndedElsewhere(ObjLongConsumer<StreamId> callback) {
        outbox.onEndedElsewhere(callback);
        return this;
    }

    @Override
    public Forwarding forward(ForwardHandler<T> handler) {
        return outbox.forward(handler);
    }

    @Override
    public Forwarding forward(ForwardHandler<T> handler, Consumer<ForwardOptions> options) {
        return outbox.forward(handler, options);
    }

    @Override
    public Forwarding forwardAsync(AsyncForwardHandler<T> handler) {
        return outbox.forwardAsync(handler);
    }

    @Override
    public Forwarding forwardAsync(AsyncForwardHandler<T> handler, Consumer<ForwardOptions> options) {
        return outbox.forwardAsync(handler, options);
    }

    @Override
    public Forwarding forwardBatches(BatchForwardHandler<T> handler, Consumer<ForwardOptions> options) {
        return outbox.forwardBatches(handler, options);
    }

    @Override
    public Forwarding forwardBatchesAsync(AsyncBatchForwardHandler<T> handler, Consumer<ForwardOptions> options) {
        return outbox.forwardBatchesAsync(handler, options);
    }

    @Override
    public Forwarding forwardHeld(HoldingForwardHandler<T> handler, Consumer<ForwardOptions> options) {
        return outbox.forwardHeld(handler, options);
    }

    @Override
    public Outbox<T> onAdoption(Consumer<Adoption<T>> callback) {
        outbox.onAdoption(callback);
        return this;
    }

    @Override
    public Outbox<T> onExpired(Consumer<Delivery<T>> callback) {
        outbox.onExpired(callback);
        return this;
    }

    @Override
    public DeadLetters<T> deadLetters() {
        return outbox.deadLetters();
    }

    @Override
    public void pause() {
        outbox.pause();
    }

    @Override
    public void resume() {
        outbox.resume();
    }

    @Override
    public QueueStatistics statistics() {
        return outbox.statistics();
    }

    @Override
    public String toString() {
        return "Outbox[" + name() + "]";
    }
}
