package io.georep.metrics;

import io.georep.PeerStatus;
import io.georep.model.NodeId;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of the round trips to other nodes, and of their clocks. A node gets its gauges when it is met. Nothing tells when a node is
 * forgotten, so every reading of the peers removes the gauges of nodes that are no longer there. Thread-safe.
 */
final class PeerMeters {
    private static final double NANOS = 1e9;

    private record Bound(MultiGauge gauge, Function<PeerStatus, @Nullable Duration> part) {}

    private final Supplier<@Nullable List<PeerStatus>> peers;
    private final Tags common;
    private final List<Bound> gauges = new ArrayList<>();
    private Set<NodeId> known = Set.of();
    private volatile Indexed indexed = new Indexed(null, Map.of());

    private record Indexed(@Nullable List<PeerStatus> all, Map<NodeId, PeerStatus> byId) {}

    /**
     * Nothing is bound yet.
     *
     * @param peers the other nodes as they were seen last; null while the node does not answer
     */
    PeerMeters(Supplier<@Nullable List<PeerStatus>> peers, Tags common) {
        this.peers = peers;
        this.common = common;
    }

    synchronized void bindTo(MeterRegistry registry) {
        bind(
                registry,
                "georep.peer.clock.ahead",
                "By how much the wall clock of another node is ahead of that of this node, negative if it is behind",
                PeerStatus::clockAhead);
        bind(registry, "georep.peer.rtt", "Smoothed round trip to another node", PeerStatus::rtt);
        bind(
                registry,
                "georep.peer.rtt.min",
                "Shortest round trip to another node since that node was started",
                PeerStatus::rttMin);
    }

    private void bind(
            MeterRegistry registry, String name, String description, Function<PeerStatus, @Nullable Duration> part) {
        MultiGauge gauge = MultiGauge.builder(name)
                .tags(common)
                .baseUnit("seconds")
                .description(description)
                .register(registry);
        Bound bound = new Bound(gauge, part);
        gauges.add(bound);
        register(bound);
    }

    /** Tells which nodes there are now. */
    synchronized void known(List<PeerStatus> all) {
        Set<NodeId> now = new TreeSet<>();
        all.forEach(peer -> now.add(peer.id()));
        if (!now.equals(known)) {
            known = now;
            gauges.forEach(this::register);
        }
    }

    private void register(Bound bound) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        for (NodeId peer : known) {
            Tags tags = Tags.of("peer", peer.value());
            rows.add(MultiGauge.Row.of(tags, () -> seconds(peer, bound.part())));
        }
        bound.gauge().register(rows);
    }

    private double seconds(NodeId peer, Function<PeerStatus, @Nullable Duration> part) {
        PeerStatus status = latest().get(peer);
        Duration time = status == null ? null : part.apply(status);
        return time == null ? Double.NaN : time.getSeconds() + time.getNano() / NANOS;
    }

    /** By name, since each gauge asks for its own peer. */
    private Map<NodeId, PeerStatus> latest() {
        List<PeerStatus> all = peers.get();
        Indexed index = indexed;
        if (index.all() != all) {
            Map<NodeId, PeerStatus> byId = new HashMap<>();
            (all == null ? List.<PeerStatus>of() : all).forEach(status -> byId.put(status.id(), status));
            index = new Indexed(all, byId);
            indexed = index;
        }
        return index.byId();
    }
}
