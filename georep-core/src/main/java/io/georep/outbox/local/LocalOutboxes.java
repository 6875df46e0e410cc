package io.georep.outbox.local;

import io.georep.logging.SafeLog;
import io.georep.model.ConfigurationException;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.OutboxOptions;
import io.georep.outbox.OutboxService;
import io.georep.outbox.OutboxStatistics;
import io.georep.outbox.QueueStatistics;
import io.georep.outbox.Replication;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.stream.QueueNames;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.TurnSource;
import io.georep.spi.CodecResolver;
import io.georep.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The outboxes of one node. Opens queues, and gives each what the protocol tells about it. */
final class LocalOutboxes implements LocalSide<OutboxService, OutboxCommand, OutboxEvent>, OutboxService, QueueAlarms {
    private static final Logger LOG = LoggerFactory.getLogger(LocalOutboxes.class);
    private static final long SWEEP_NANOS = 60_000_000_000L;

    private final NodeHandle<OutboxCommand> node;
    private final OutboxModule settings;
    private final boolean networked;
    private final ConcurrentMap<String, LocalQueue> queues = new ConcurrentHashMap<>();

    /** Alarms of queues whose consumers wait for a time. */
    private final ConsumerAlarms alarms = new ConsumerAlarms();

    private final SendQueue sends;
    private final SendPort port;
    private final OutboxEvents events;
    private final CompletableFuture<Void> sendsAnswered = new CompletableFuture<>();
    private volatile boolean drainingSends;

    /** Application thread only. */
    private long sweepAtNanos = Long.MIN_VALUE;

    LocalOutboxes(NodeHandle<OutboxCommand> node, OutboxModule settings, Place place) {
        this.node = node;
        this.settings = settings;
        this.networked = place.host() != null;
        this.sends = new SendQueue(node::wake);
        this.port = new SendPort(sends, place.config());
        this.events = new OutboxEvents(node, queues, port.budget());
    }

    @Override
    public OutboxService service() {
        return this;
    }

    @Override
    public TurnSource<OutboxCommand> source() {
        return sends;
    }

    @Override
    public <T> Outbox<T> outbox(String name, Class<T> type, Consumer<OutboxOptions> options) {
        PayloadCodec<T> codec = CodecResolver.builtIn().resolve(type);
        if (codec == null) {
            codec = settings.codecs().resolve(type);
        }
        if (codec == null) {
            throw new ConfigurationException("queue '" + name + "': no codec for " + type.getName()
                    + ": pass a PayloadCodec, or give the node a resolver with codecs(...)");
        }
        return outbox(name, codec, options);
    }

    @Override
    public <T> Outbox<T> outbox(String name, PayloadCodec<T> codec, Consumer<OutboxOptions> options) {
        OutboxOptions chosen = new OutboxOptions();
        options.accept(chosen);
        int f = allowedF(name, chosen.f());
        NodeOutbox<T> outbox =
                new NodeOutbox<>(name, codec, f, chosen.interceptors(), node, this, port, this::allowedF);
        open(outbox);
        if (chosen.handsOverTo() != null) {
            node.command(new OutboxCommand.HandOver(name, chosen.handsOverTo()));
        }
        return outbox;
    }

    @Override
    public Replication replication(String name) {
        NodeReplication replication = new NodeReplication(name, node, this, port, this::allowedF);
        open(replication);
        return replication;
    }

    private void open(LocalQueue queue) {
        int bytes = queue.name.getBytes(StandardCharsets.UTF_8).length;
        if (queue.name.isBlank() || !QueueNames.fits(queue.name)) {
            throw new ConfigurationException("queue name '" + queue.name + "' has " + bytes
                    + " bytes, allowed are 1 to " + QueueNames.BYTES_MAX + " with something visible");
        }
        node.requireRunning();
        if (queues.size() >= QueueNames.QUEUES_MAX && !queues.containsKey(queue.name)) {
            throw new ConfigurationException("queue '" + queue.name + "' is one too many: a node opens at most "
                    + QueueNames.QUEUES_MAX + "; put what tells them apart into a header or the payload");
        }
        if (queues.putIfAbsent(queue.name, queue) != null) {
            throw new ConfigurationException(
                    "queue '" + queue.name + "' is open on this node already: share the object instead");
        }
        node.execute(() -> events.opened(queue));
    }

    private int allowedF(String queue, int wanted) {
        int f = Math.min(wanted, settings.copiesMax());
        if (f > 0 && !networked) {
            throw new ConfigurationException("queue '" + queue + "' wants f = " + f + ", but node " + node.nodeName()
                    + " is alone: set listen(port) and seeds(...), or f(0)");
        }
        return f;
    }

    @Override
    public void allowAdoption(boolean allowed) {
        node.command(new OutboxCommand.AllowAdoption(allowed));
    }

    @Override
    public CompletionStage<OutboxActivity> readStatistics() {
        return node.<OutboxStatistics>ask(OutboxCommand.ReadStatistics::new).thenApply(this::activity);
    }

    private OutboxActivity activity(OutboxStatistics protocol) {
        Map<String, QueueStatistics> opened = new TreeMap<>();
        queues.forEach((name, queue) -> opened.put(name, queue.statistics()));
        Set<String> unopened = new LinkedHashSet<>();
        protocol.held().forEach((name, count) -> {
            if (count > 0 && !opened.containsKey(name)) {
                unopened.add(name);
                events.unopened(name);
            }
        });
        return new OutboxActivity(
                protocol, opened, unopened, port.budget().count(), port.budget().bytes());
    }

    @Override
    public void event(OutboxEvent event) {
        events.route(event);
    }

    @Override
    public void time(long nowNanos) {
        while (ringNext(nowNanos)) {
            // one after the other
        }
        if (nowNanos >= sweepAtNanos) {
            sweepAtNanos = nowNanos + SWEEP_NANOS;
            sweep(nowNanos);
        }
        if (drainingSends && port.budget().count() == 0) {
            sendsAnswered.complete(null);
        }
    }

    private boolean ringNext(long nowNanos) {
        try {
            return alarms.ringNext(nowNanos);
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            SafeLog.log(LOG, "Node {}: a queue failed at its alarm", node.nodeName(), e);
            return true;
        }
    }

    private void sweep(long nowNanos) {
        for (LocalQueue queue : queues.values()) {
            QueueConsumer consumer = queue.consumer();
            try {
                if (consumer != null) {
                    consumer.sweep(nowNanos);
                }
            } catch (OutOfMemoryError e) {
                throw e;
            } catch (Throwable e) {
                SafeLog.log(LOG, "Node {}: queue {} failed", node.nodeName(), queue.name, e);
            }
        }
    }

    @Override
    public long nextDeadlineNanos() {
        return Math.min(sweepAtNanos, alarms.nextNanos());
    }

    @Override
    public void close() {
        port.close();
    }

    private void stopConsumers() {
        for (LocalQueue queue : queues.values()) {
            QueueConsumer consumer = queue.consumer();
            if (consumer != null) {
                consumer.stop(Duration.ZERO);
            }
        }
    }

    /** All handlers get the same time together. */
    @Override
    public void finish(Duration atMost) {
        stopConsumers(); // none begins anything new while others are waited for
        long deadline = System.nanoTime() + atMost.toNanos();
        for (LocalQueue queue : queues.values()) {
            QueueConsumer consumer = queue.consumer();
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            if (consumer != null && !consumer.stop(left)) {
                LOG.warn(
                        "Node {}: handlers of queue {} are still at work after {}; what they forward may be forwarded"
                                + " again",
                        node.nodeName(),
                        queue.name,
                        atMost);
            }
        }
    }

    @Override
    public CompletableFuture<Void> answered() {
        drainingSends = true;
        return sendsAnswered;
    }

    @Override
    public void ended() {
        port.close();
        failAll(sends.firstUnseen(), SendPort.closedException());
        failAll(
                sends.firstUnanswered(),
                new IndeterminateException(
                        "the node stopped before f other nodes confirmed: the entry may still be forwarded"));
        sendsAnswered.complete(null);
        // However the node has ended, nobody must wait for entries that it will not hand out.
        stopConsumers();
    }

    private void failAll(@Nullable PendingSend first, GeoRepException error) {
        for (PendingSend send = first; send != null; send = send.next()) {
            events.answer(send, null, error);
        }
    }

    @Override
    public void setAlarm(QueueConsumer consumer, long atNanos) {
        node.execute(() -> alarms.set(consumer, atNanos));
    }

    @Override
    public void cancelAlarms(QueueConsumer consumer) {
        node.execute(() -> alarms.cancel(consumer));
    }
}
