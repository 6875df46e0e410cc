package io.georep.outbox.local;

import io.georep.logging.SafeLog;
import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.Adoption;
import io.georep.outbox.BatchForwardHandler;
import io.georep.outbox.DeadLetters;
import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardHandler;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Outbox;
import io.georep.outbox.QueueStatistics;
import io.georep.outbox.SendInterceptor;
import io.georep.outbox.SendOptions;
import io.georep.outbox.StoredEntry;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.local.NodeHandle;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An outbox on a running node. */
final class NodeOutbox<T> extends LocalQueue implements Outbox<T> {
    private static final Logger LOG = LoggerFactory.getLogger(NodeOutbox.class);

    private final PayloadCodec<T> codec;
    private final int f;
    private final List<SendInterceptor> interceptors;
    private final SendPort port;
    private final AllowedF allowedF;
    private final EntryReader<T> reader;
    private final DeadLetters<T> deadLetters;
    private final Object forwardingLock = new Object();
    private final List<LongConsumer> onUndecided = new CopyOnWriteArrayList<>();

    private final List<ObjLongConsumer<StreamId>> onFinishedElsewhere = new CopyOnWriteArrayList<>();
    private final List<Consumer<EntryId>> onWithdrawn = new CopyOnWriteArrayList<>();

    /** How many undecided entries were found before a callback was registered; application thread only. */
    private long undecidedUntold;

    private @Nullable Forwarder<T> forwarder;

    /** Whether handlers that are registered later start paused. */
    private boolean paused;

    /** Lowers an f to what the node's settings allow, and refuses one that this node can never satisfy. */
    interface AllowedF {
        int of(String queue, int f);
    }

    NodeOutbox(
            String name,
            PayloadCodec<T> codec,
            int f,
            List<SendInterceptor> interceptors,
            NodeHandle<OutboxCommand> node,
            QueueAlarms alarms,
            SendPort port,
            AllowedF allowedF) {
        super(name, node, alarms);
        this.codec = codec;
        this.f = f;
        this.interceptors = interceptors;
        this.port = port;
        this.allowedF = allowedF;
        this.reader = new EntryReader<>(name, codec);
        this.deadLetters = new NodeDeadLetters<>(this, reader);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public CompletionStage<EntryId> send(T payload, SendOptions options) {
        return interceptors.isEmpty()
                ? sendNow(payload, options)
                : intercepted(new SendInterceptor.Call<>(this, List.of(payload), options), 0)
                        .get(0);
    }

    private CompletionStage<EntryId> sendNow(T payload, SendOptions options) {
        return port.send(this, checkedF(options), encoded(payload, options, node.wallMillis()));
    }

    @Override
    public List<CompletionStage<EntryId>> sendAll(List<? extends T> payloads, SendOptions options) {
        return interceptors.isEmpty() || payloads.isEmpty()
                ? sendAllNow(payloads, options)
                : intercepted(new SendInterceptor.Call<>(this, payloads, options), 0);
    }

    private List<CompletionStage<EntryId>> sendAllNow(List<? extends T> payloads, SendOptions options) {
        int copies = checkedF(options);
        long now = node.wallMillis();
        List<Slice> encoded = new ArrayList<>(payloads.size());
        for (T payload : payloads) {
            encoded.add(encoded(payload, options, now));
        }
        return List.copyOf(port.sendAll(this, copies, encoded));
    }

    private List<CompletionStage<EntryId>> intercepted(SendInterceptor.Call<T> call, int from) {
        if (from < interceptors.size()) {
            return interceptors.get(from).send(call, next -> intercepted(next, from + 1));
        }
        List<? extends T> payloads = call.payloads();
        return payloads.size() == 1
                ? List.of(sendNow(payloads.get(0), call.options()))
                : sendAllNow(payloads, call.options());
    }

    @Override
    public EntryId sendAndWait(T payload, Duration atMost) {
        if (node.onApplicationThread()) {
            throw new IllegalStateException("sendAndWait for queue " + name
                    + " would wait for itself on the application thread of its node: use send in callbacks");
        }
        return Outbox.super.sendAndWait(payload, atMost);
    }

    @Override
    public CompletionStage<EntryId> prepare(T payload, SendOptions options) {
        return port.send(this, checkedF(options), encoded(payload, options, node.wallMillis()), true);
    }

    @Override
    public void decide(Collection<EntryId> ids, boolean commit) {
        List<EntryId> all = List.copyOf(ids);
        if (!all.isEmpty()) {
            node.command(new OutboxCommand.Decide(all, commit));
        }
        if (!commit) {
            onWithdrawn.forEach(callback -> all.forEach(id -> guarded(() -> callback.accept(id))));
        }
    }

    @Override
    public Outbox<T> onWithdrawn(Consumer<EntryId> callback) {
        onWithdrawn.add(callback);
        return this;
    }

    @Override
    public CompletionStage<List<Delivery<T>>> undecided(@Nullable EntryId after, int max) {
        if (max < 1 || max > DeadLetters.PAGE_MAX) {
            throw new IllegalArgumentException("max is " + max + ", allowed are 1 to " + DeadLetters.PAGE_MAX);
        }
        return node.<OutboxEvent.Undecided>ask(token -> new OutboxCommand.ListUndecided(name, after, max, token))
                .thenApplyAsync(answer -> reader.undecided(answer.entries())); // decoding may take long
    }

    @Override
    public CompletionStage<Optional<StoredEntry>> setAside(EntryId id) {
        return StoredEntries.read(this, id);
    }

    @Override
    public Outbox<T> onUndecided(LongConsumer callback) {
        onUndecided.add(callback);
        node.execute(() -> {
            long earlier = undecidedUntold;
            undecidedUntold = 0;
            if (earlier > 0) {
                undecidedFound(earlier);
            }
        });
        return this;
    }

    @Override
    void undecidedFound(long entries) {
        if (onUndecided.isEmpty()) {
            undecidedUntold += entries;
        }
        for (LongConsumer callback : onUndecided) {
            guarded(() -> callback.accept(entries));
        }
    }

    @Override
    public Outbox<T> onFinishedElsewhere(ObjLongConsumer<StreamId> callback) {
        onFinishedElsewhere.add(callback);
        return this;
    }

    @Override
    void finishedElsewhere(StreamId stream, long entries) {
        for (ObjLongConsumer<StreamId> callback : onFinishedElsewhere) {
            guarded(() -> callback.accept(stream, entries));
        }
    }

    private void guarded(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable e) {
            SafeLog.log(LOG, "Queue {}: a callback failed", name, e);
        }
    }

    private int checkedF(SendOptions options) {
        int copies = options.values().f();
        return copies < 0 || copies == f ? f : allowedF.of(name, copies);
    }

    private Slice encoded(T payload, SendOptions options, long now) {
        byte[] body;
        try {
            body = codec.encode(payload);
        } catch (Exception e) {
            throw new IllegalArgumentException("queue " + name + ": the codec cannot write the payload: " + e, e);
        }
        SendOptions.Values chosen = options.values();
        return new EntryEnvelope(
                        now,
                        delayMillis(chosen, now),
                        lifeMillis(chosen),
                        chosen.headers(),
                        chosen.producerKey(),
                        Slice.of(body))
                .encode();
    }

    /** Returns how long to wait from now; 0 for not at all. */
    private static long delayMillis(SendOptions.Values chosen, long now) {
        Instant notBefore = chosen.notBefore();
        if (notBefore != null) {
            boolean past = notBefore.isBefore(Instant.EPOCH);
            return past ? 0 : Math.max(0, notBefore.toEpochMilli() - now);
        }
        Duration delay = chosen.delay();
        return delay == null ? 0 : delay.toMillis();
    }

    /** Returns how long the entry lives from now; 0 for ever. */
    private static long lifeMillis(SendOptions.Values chosen) {
        Duration life = chosen.timeToLive();
        return life == null ? 0 : Math.max(1, life.toMillis());
    }

    @Override
    public Forwarding forward(ForwardHandler<T> handler, Consumer<ForwardOptions> options) {
        return begin(HandlerCalls.one(handler), false, options);
    }

    @Override
    public Forwarding forwardBatches(BatchForwardHandler<T> handler, Consumer<ForwardOptions> options) {
        return begin(HandlerCalls.batch(handler), true, options);
    }

    private Forwarding begin(HandlerCalls.Invoker<T> invoker, boolean batches, Consumer<ForwardOptions> customizer) {
        ForwardOptions options = new ForwardOptions();
        customizer.accept(options);
        synchronized (forwardingLock) {
            if (paused) {
                options.paused();
            }
            Forwarder<T> before = forwarder;
            if (before != null && before.running()) {
                throw new IllegalStateException("queue " + name + " has a handler at work: stop that Forwarding first");
            }
            Forwarder<T> next = new Forwarder<>(this, reader, invoker, batches, options.values());
            if (before != null) {
                before.passTo(next);
            }
            forwarder = next;
            consumer(next);
            requireRunning(next);
            next.begin();
            return next;
        }
    }

    /**
     * Fails if the node is closing. Closing first changes the state and then stops the consumers it sees, so checking after the
     * consumer is set misses none.
     */
    private void requireRunning(Forwarder<T> next) {
        try {
            node.requireRunning();
        } catch (ClosedException e) {
            next.stop(Duration.ZERO);
            throw e;
        }
    }

    @Override
    public Outbox<T> onAdoption(Consumer<Adoption<T>> callback) {
        reader.onAdoption(callback);
        return this;
    }

    @Override
    public Outbox<T> onExpired(Consumer<Delivery<T>> callback) {
        reader.onExpired(callback);
        return this;
    }

    @Override
    public DeadLetters<T> deadLetters() {
        return deadLetters;
    }

    @Override
    public void pause() {
        Forwarder<T> current = paused(true);
        if (current != null) {
            current.pause();
        }
    }

    @Override
    public void resume() {
        Forwarder<T> current = paused(false);
        if (current != null) {
            current.resume();
        }
    }

    private @Nullable Forwarder<T> paused(boolean now) {
        synchronized (forwardingLock) {
            paused = now;
            return forwarder;
        }
    }

    private @Nullable Forwarder<T> current() {
        synchronized (forwardingLock) {
            return forwarder;
        }
    }

    @Override
    public QueueStatistics statistics() {
        Forwarder<T> current = current();
        return current == null
                ? counters.snapshot(0, 0)
                : counters.snapshot(
                        current.forwardWindow().active(),
                        current.forwardWindow().parked());
    }
}
