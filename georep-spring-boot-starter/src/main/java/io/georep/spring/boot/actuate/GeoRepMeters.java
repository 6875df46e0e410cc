package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.NodeStatistics;
import io.georep.PeerStatus;
import io.georep.model.PeerState;
import io.georep.outbox.Outbox;
import io.georep.outbox.QueueStatistics;
import io.georep.spi.PayloadCodec;
import io.georep.spring.outbox.OpenListener;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Binds {@link GeoRepMeter}s of the node, and of each queue as soon as it is opened. */
final class GeoRepMeters implements MeterBinder, OpenListener, SmartInitializingSingleton {
    private final Supplier<GeoRepNode> node;
    private final PeerRoundTrips roundTrips;
    private final List<MeterRegistry> registries = new ArrayList<>();
    private final List<Outbox<?>> queues = new ArrayList<>();
    private @Nullable NodeReadings readings;

    GeoRepMeters(Supplier<GeoRepNode> node) {
        this.node = node;
        this.roundTrips = new PeerRoundTrips(this::latestPeers);
    }

    @Override
    public void afterSingletonsInstantiated() {
        node.get().onPeerChange(change -> roundTrips.met(change.peer()));
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        registries.add(registry);
        bindNode(registry);
        roundTrips.bindTo(registry);
        queues.forEach(queue -> bindQueue(registry, queue));
    }

    @Override
    public synchronized <T> void opened(Outbox<T> outbox, PayloadCodec<T> codec, int f) {
        queues.add(outbox);
        registries.forEach(registry -> bindQueue(registry, outbox));
    }

    private synchronized NodeReadings readings() {
        NodeReadings current = readings;
        if (current == null) {
            current = new NodeReadings(node.get(), roundTrips::known);
            readings = current;
        }
        return current;
    }

    private void bindQueue(MeterRegistry registry, Outbox<?> queue) {
        Tags tags = Tags.of(GeoRepMeter.Tag.QUEUE.asString(), queue.name());
        String outcome = GeoRepMeter.Tag.OUTCOME.asString();
        counter(registry, GeoRepMeter.SENDS, tags.and(outcome, "acknowledged"), queue, QueueStatistics::acknowledged);
        counter(registry, GeoRepMeter.SENDS, tags.and(outcome, "rejected"), queue, QueueStatistics::rejected);
        counter(registry, GeoRepMeter.SENDS, tags.and(outcome, "indeterminate"), queue, QueueStatistics::indeterminate);
        counter(registry, GeoRepMeter.FORWARDED, tags, queue, QueueStatistics::forwarded);
        counter(registry, GeoRepMeter.FAILED_ATTEMPTS, tags, queue, QueueStatistics::failedAttempts);
        counter(registry, GeoRepMeter.DEAD_LETTERED, tags, queue, QueueStatistics::deadLettered);
        counter(registry, GeoRepMeter.EXPIRED, tags, queue, QueueStatistics::expired);
        counter(registry, GeoRepMeter.ADOPTED, tags, queue, QueueStatistics::adopted);
        gauge(registry, GeoRepMeter.ACTIVE, tags, () -> queue.statistics().active());
        gauge(registry, GeoRepMeter.PARKED, tags, () -> queue.statistics().parked());
        String name = queue.name();
        gauge(
                registry,
                GeoRepMeter.BACKLOG,
                tags,
                statistics(all -> all.protocol().held().getOrDefault(name, 0L)));
        gauge(
                registry,
                GeoRepMeter.DEAD_LETTERS,
                tags,
                statistics(all -> all.protocol().deadLetters().getOrDefault(name, 0L)));
        gauge(
                registry,
                GeoRepMeter.UNDECIDED,
                tags,
                statistics(all -> all.protocol().undecided().getOrDefault(name, 0L)));
    }

    private void bindNode(MeterRegistry registry) {
        Tags none = Tags.empty();
        gauge(
                registry,
                GeoRepMeter.COPIES,
                none,
                statistics(all -> all.protocol().copies()));
        gauge(
                registry,
                GeoRepMeter.HELD_BACK,
                none,
                statistics(all -> all.protocol().heldBack()));
        gauge(
                registry,
                GeoRepMeter.COPIES_SHORT,
                none,
                statistics(all -> all.protocol().shortOfCopies()));
        gauge(
                registry,
                GeoRepMeter.DELETES_UNTOLD,
                none,
                statistics(all -> all.protocol().deletesUntold()));
        gauge(
                registry,
                GeoRepMeter.TOMBSTONES,
                none,
                statistics(all -> all.protocol().tombstones()));
        gauge(
                registry,
                GeoRepMeter.STORE_READY,
                none,
                statistics(all -> all.protocol().store().takesEntries() ? 1L : 0L));
        Supplier<Number> framesRefused = statistics(NodeStatistics::framesRefused);
        FunctionCounter.builder(
                        GeoRepMeter.FRAMES_REFUSED.getName(),
                        framesRefused,
                        refused -> refused.get().doubleValue())
                .baseUnit(GeoRepMeter.FRAMES_REFUSED.getBaseUnit())
                .register(registry);
        gauge(registry, GeoRepMeter.PENDING_SENDS, none, statistics(NodeStatistics::pendingSends));
        gauge(registry, GeoRepMeter.PENDING_SEND_BYTES, none, statistics(NodeStatistics::pendingSendBytes));
        gauge(registry, GeoRepMeter.PEERS_SELECTABLE, none, peers(PeerStatus::selectable));
        gauge(registry, GeoRepMeter.PEERS_FOREIGN, none, peers(PeerStatus::foreign));
        for (PeerState state : PeerState.values()) {
            Tags tag = Tags.of(GeoRepMeter.Tag.STATE.asString(), state.name().toLowerCase(Locale.ROOT));
            gauge(registry, GeoRepMeter.PEERS, tag, peers(peer -> peer.state() == state));
        }
    }

    private Supplier<Number> statistics(Function<NodeStatistics, Long> part) {
        return () -> {
            NodeStatistics all = readings().statistics();
            return all == null ? Double.NaN : part.apply(all);
        };
    }

    private @Nullable List<PeerStatus> latestPeers() {
        return readings().peers();
    }

    private Supplier<Number> peers(Function<PeerStatus, Boolean> which) {
        return () -> {
            List<PeerStatus> all = latestPeers();
            return all == null ? Double.NaN : all.stream().filter(which::apply).count();
        };
    }

    private static void counter(
            MeterRegistry registry,
            GeoRepMeter meter,
            Tags tags,
            Outbox<?> queue,
            ToDoubleFunction<QueueStatistics> value) {
        FunctionCounter.builder(meter.getName(), queue, outbox -> value.applyAsDouble(outbox.statistics()))
                .tags(tags)
                .baseUnit(meter.getBaseUnit())
                .register(registry);
    }

    private static void gauge(MeterRegistry registry, GeoRepMeter meter, Tags tags, Supplier<Number> value) {
        Gauge.builder(meter.getName(), value)
                .tags(tags)
                .baseUnit(meter.getBaseUnit())
                .register(registry);
    }
}
