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
        bindNode(registry);
        bindPeers(registry);
        peers.bindTo(registry);
        protocols.bindTo(registry);
    }

    private void bindNode(MeterRegistry registry) {
        gauge(
                registry,
                "running",
                "nodes",
                "1 while the node runs",
                () -> node.get().state() == NodeState.RUNNING ? 1 : 0);
        gauge(
                registry,
                "store.ready",
                "stores",
                "1 while the store takes new entries and copies; 0 while it is full, behind or stalled",
                statistics(all -> all.store().takesEntries() ? 1 : 0));
        counter(
                registry,
                "frames.refused",
                "frames",
                "Frames of other nodes that could not be read, each of which cost its link",
                NodeStatistics::framesRefused);
        counter(
                registry,
                "connections.distrusted",
                "connections",
                "Connections that ended because one side had not proved to the other who it is",
                NodeStatistics::connectionsDistrusted);
        counter(
                registry,
                "decisions.ignored",
                "decisions",
                "Decisions over other nodes that were not believed, because the peer may not decide",
                NodeStatistics::decisionsIgnored);
        counter(
                registry,
                "messages.ignored",
                "messages",
                "Messages of other nodes on channels or of types that this version does not know",
                NodeStatistics::messagesIgnored);
        counter(
                registry,
                "messages.withheld",
                "messages",
                "Messages not sent, because the other node does not know their channel",
                NodeStatistics::messagesWithheld);
    }

    private void bindPeers(MeterRegistry registry) {
        gauge(
                registry,
                "peers.selectable",
                "nodes",
                "Other nodes that may get copies of new entries now; with fewer than f sends are refused",
                count(PeerStatus::selectable));
        gauge(
                registry,
                "peers.foreign",
                "nodes",
                "Processes of another cluster of the same name, from which nothing is taken",
                count(PeerStatus::foreign));
        for (PeerState state : PeerState.values()) {
            Gauge.builder("georep.peers", count(peer -> peer.state() == state))
                    .tags(tags.and("state", state.name().toLowerCase(Locale.ROOT)))
                    .baseUnit("nodes")
                    .description(
                            "Other nodes by state: prospect is not heard yet, active is in touch, schrodinger is silent"
                                    + " and gets no new copies, terminated is given up and its entries are adopted, arnold said"
                                    + " goodbye and will be back")
                    .register(registry);
        }
    }

    private void counter(
            MeterRegistry registry,
            String name,
            String unit,
            String description,
            ToDoubleFunction<NodeStatistics> figure) {
        // A counter never falls, so it shows what was read last.
        FunctionCounter.builder("georep." + name, readings, it -> {
                    it.statistics();
                    NodeStatistics last = it.lastStatistics();
                    return last == null ? 0 : figure.applyAsDouble(last);
                })
                .tags(tags)
                .baseUnit(unit)
                .description(description)
                .register(registry);
    }

    private void gauge(MeterRegistry registry, String name, String unit, String description, Supplier<Number> value) {
        Gauge.builder("georep." + name, value)
                .tags(tags)
                .baseUnit(unit)
                .description(description)
                .register(registry);
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
