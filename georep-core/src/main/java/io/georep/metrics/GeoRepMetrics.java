package io.georep.metrics;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.NodeStatistics;
import io.georep.outbox.OutboxStatistics;
import io.georep.outbox.QueueStatistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Binds the statistics of a node to a meter registry: {@code georep.*} tagged with {@code node}, and
 * {@code georep.queue.*} tagged with {@code queue} too. Reading a meter never waits for the node: it shows the statistics
 * read last and asks for new ones at most once per second. Queues opened later get their meters when they are first seen.
 */
public final class GeoRepMetrics implements MeterBinder {
    private static final long REFRESH_NANOS = 1_000_000_000L;

    private final GeoRepNode node;
    private final Tags tags;
    private final Set<String> boundQueues = ConcurrentHashMap.newKeySet();
    private final AtomicLong askedNanos = new AtomicLong(System.nanoTime() - REFRESH_NANOS);
    private volatile @Nullable NodeStatistics latest;
    private volatile @Nullable MeterRegistry registry;

    /** Meters of this node. */
    public GeoRepMetrics(GeoRepNode node) {
        this.node = node;
        this.tags = Tags.of("node", node.identity().id().value());
    }

    @Override
    public void bindTo(MeterRegistry target) {
        registry = target;
        counter(target, "accepted", OutboxStatistics::accepted);
        counter(target, "acknowledged", OutboxStatistics::acknowledged);
        counter(target, "rejected", OutboxStatistics::rejected);
        counter(target, "indeterminate", OutboxStatistics::indeterminate);
        counter(target, "forwarded", OutboxStatistics::forwarded);
        counter(target, "adopted", OutboxStatistics::adopted);
        counter(target, "ceded", OutboxStatistics::ceded);
        gauge(target, "receiving", OutboxStatistics::receiving);
        gauge(target, "copies", OutboxStatistics::copies);
        gauge(target, "held.back", OutboxStatistics::heldBack);
        gauge(target, "copies.short", OutboxStatistics::shortOfCopies);
        gauge(target, "deletes.untold", OutboxStatistics::deletesUntold);
        gauge(target, "tombstones", OutboxStatistics::tombstones);
        gauge(target, "store.ready", statistics -> statistics.store().takesEntries() ? 1 : 0);
        FunctionCounter.builder("georep.frames.refused", this, GeoRepMetrics::framesRefused)
                .tags(tags)
                .register(target);
        Gauge.builder("georep.running", node, it -> it.state() == NodeState.RUNNING ? 1 : 0)
                .tags(tags)
                .register(target);
        refresh();
    }

    private void counter(MeterRegistry target, String name, ToDoubleFunction<OutboxStatistics> value) {
        FunctionCounter.builder("georep." + name, this, it -> it.read(value))
                .tags(tags)
                .register(target);
    }

    private void gauge(MeterRegistry target, String name, ToDoubleFunction<OutboxStatistics> value) {
        Gauge.builder("georep." + name, this, it -> it.read(value)).tags(tags).register(target);
    }

    private double read(ToDoubleFunction<OutboxStatistics> value) {
        refresh();
        NodeStatistics statistics = latest;
        return statistics == null ? 0 : value.applyAsDouble(statistics.protocol());
    }

    private double framesRefused() {
        refresh();
        NodeStatistics statistics = latest;
        return statistics == null ? 0 : statistics.framesRefused();
    }

    private double readQueue(String queue, ToDoubleFunction<QueueStatistics> value) {
        refresh();
        NodeStatistics statistics = latest;
        QueueStatistics ofQueue =
                statistics == null ? null : statistics.queues().get(queue);
        return ofQueue == null ? 0 : value.applyAsDouble(ofQueue);
    }

    private double byQueue(String queue, Function<OutboxStatistics, Map<String, Long>> counts) {
        refresh();
        NodeStatistics statistics = latest;
        return statistics == null ? 0 : counts.apply(statistics.protocol()).getOrDefault(queue, 0L);
    }

    private void refresh() {
        long now = System.nanoTime();
        long asked = askedNanos.get();
        if (now - asked >= REFRESH_NANOS && askedNanos.compareAndSet(asked, now)) {
            var unused = node.readStatistics().whenComplete((statistics, error) -> {
                if (statistics != null) {
                    latest = statistics;
                    statistics.queues().keySet().forEach(this::bindQueue);
                }
            });
        }
    }

    private void bindQueue(String queue) {
        MeterRegistry target = registry;
        if (target == null || !boundQueues.add(queue)) {
            return;
        }
        Tags ofQueue = tags.and("queue", queue);
        queueCounter(target, ofQueue, queue, "acknowledged", QueueStatistics::acknowledged);
        queueCounter(target, ofQueue, queue, "rejected", QueueStatistics::rejected);
        queueCounter(target, ofQueue, queue, "forwarded", QueueStatistics::forwarded);
        queueCounter(target, ofQueue, queue, "failed.attempts", QueueStatistics::failedAttempts);
        queueCounter(target, ofQueue, queue, "dead.lettered", QueueStatistics::deadLettered);
        queueCounter(target, ofQueue, queue, "expired", QueueStatistics::expired);
        queueCounter(target, ofQueue, queue, "adopted", QueueStatistics::adopted);
        Gauge.builder("georep.queue.active", this, it -> it.readQueue(queue, QueueStatistics::active))
                .tags(ofQueue)
                .register(target);
        Gauge.builder("georep.queue.parked", this, it -> it.readQueue(queue, QueueStatistics::parked))
                .tags(ofQueue)
                .register(target);
        Gauge.builder("georep.queue.held", this, it -> it.byQueue(queue, OutboxStatistics::held))
                .tags(ofQueue)
                .register(target);
        Gauge.builder("georep.queue.undecided", this, it -> it.byQueue(queue, OutboxStatistics::undecided))
                .tags(ofQueue)
                .register(target);
    }

    private void queueCounter(
            MeterRegistry target, Tags ofQueue, String queue, String name, ToDoubleFunction<QueueStatistics> value) {
        FunctionCounter.builder("georep.queue." + name, this, it -> it.readQueue(queue, value))
                .tags(ofQueue)
                .register(target);
    }
}
