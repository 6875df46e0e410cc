package io.georep.metrics;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.NodeStatistics;
import io.georep.PeerStatus;
import io.georep.model.PeerState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Creates the meters {@code georep.*} from the statistics of a node and of all its protocols. Thread-safe.
 *
 * <p>The meters ask the node at most once per second, and wait at most one second for the answer. While the node does not
 * answer, gauges are "not a number" and counters stand still. If something appears later, such as a queue that is opened or a
 * node that is met, it gets its meters with the next reading, or with {@link #discover}.
 */
public final class GeoRepMetrics implements MeterBinder {
    private final Supplier<GeoRepNode> node;
    private final Tags tags;
    private final PeerMeters peers;
    private final ProtocolMeters protocols;
    private final NodeReadings readings;

    /** Creates meters for this node. They have the tag {@code node} with its name. */
    public GeoRepMetrics(GeoRepNode node) {
        this(() -> node, Tags.of("node", node.identity().id().value()));
        discover();
    }

    /**
     * Creates meters for a node that is created later.
     *
     * @param node returns the node; called when a meter is read
     * @param tags the tags of every meter
     */
    public GeoRepMetrics(Supplier<GeoRepNode> node, Iterable<Tag> tags) {
        this.node = node;
        this.tags = Tags.of(tags);
        this.peers = new PeerMeters(this::latestPeers, this.tags);
        this.protocols = new ProtocolMeters(this::latestStatistics, this.tags);
        this.readings = new NodeReadings(node, peers::known, protocols::known);
    }

    /** Looks for things that have no meter yet, without waiting. */
    public void discover() {
        readings.refresh();
    }

    private @Nullable List<PeerStatus> latestPeers() {
        return readings.peers();
    }

    private @Nullable NodeStatistics latestStatistics() {
        return readings.statistics();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(registry, "running", "nodes", () -> node.get().state() == NodeState.RUNNING ? 1 : 0);
        gauge(registry, "store.ready", "stores", statistics(all -> all.store().takesEntries() ? 1 : 0));
        counter(registry, "frames.refused", "frames", NodeStatistics::framesRefused);
        counter(registry, "messages.ignored", "messages", NodeStatistics::messagesIgnored);
        counter(registry, "messages.withheld", "messages", NodeStatistics::messagesWithheld);
        gauge(registry, "peers.selectable", "nodes", count(PeerStatus::selectable));
        gauge(registry, "peers.foreign", "nodes", count(PeerStatus::foreign));
        for (PeerState state : PeerState.values()) {
            Gauge.builder("georep.peers", count(peer -> peer.state() == state))
                    .tags(tags.and("state", state.name().toLowerCase(Locale.ROOT)))
                    .baseUnit("nodes")
                    .register(registry);
        }
        peers.bindTo(registry);
        protocols.bindTo(registry);
    }

    private void counter(MeterRegistry registry, String name, String unit, ToDoubleFunction<NodeStatistics> figure) {
        // A counter never falls, so it shows what was read last.
        FunctionCounter.builder("georep." + name, readings, it -> {
                    it.statistics();
                    NodeStatistics last = it.lastStatistics();
                    return last == null ? 0 : figure.applyAsDouble(last);
                })
                .tags(tags)
                .baseUnit(unit)
                .register(registry);
    }

    private void gauge(MeterRegistry registry, String name, String unit, Supplier<Number> value) {
        Gauge.builder("georep." + name, value).tags(tags).baseUnit(unit).register(registry);
    }

    private Supplier<Number> statistics(ToDoubleFunction<NodeStatistics> figure) {
        return () -> {
            NodeStatistics all = readings.statistics();
            return all == null ? Double.NaN : figure.applyAsDouble(all);
        };
    }

    private Supplier<Number> count(Predicate<PeerStatus> which) {
        return () -> {
            List<PeerStatus> all = readings.peers();
            return all == null ? Double.NaN : all.stream().filter(which).count();
        };
    }
}
