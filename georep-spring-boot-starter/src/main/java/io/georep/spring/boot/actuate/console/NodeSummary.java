package io.georep.spring.boot.actuate.console;

import io.georep.NodeStatistics;
import io.georep.outbox.OutboxActivity;
import io.georep.reports.Reports;
import io.georep.spring.boot.actuate.EndpointRefusal;
import io.georep.spring.boot.actuate.EndpointReport;
import io.georep.spring.boot.actuate.NodeOperator;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a node says of itself to those who look at another one. Anything but the lists may be missing in what comes from
 * another release.
 *
 * @param since when its application began to watch it
 * @param peers how it sees the others
 * @param queues those in which something waits or is set aside, the longest first
 * @param takeovers what it took over from others and has not ended, the latest of it
 */
record NodeSummary(
        @Nullable String site,
        @Nullable String state,
        @Nullable String version,
        @Nullable String store,
        @Nullable Instant since,
        NodeView.@Nullable Totals totals,
        List<Sight> peers,
        List<Waiting> queues,
        List<Takeover> takeovers) {
    private static final int QUEUES_MAX = 50;
    private static final int TAKEOVERS_MAX = 20;

    NodeSummary {
        // What comes from elsewhere may have anything missing.
        peers = named(peers, Sight::id);
        queues = named(queues, Waiting::name);
        takeovers = named(takeovers, Takeover::queue);
    }

    private static <T> List<T> named(@Nullable List<T> all, Function<T, @Nullable String> name) {
        return all == null
                ? List.of()
                : all.stream()
                        .filter(each -> each != null && name.apply(each) != null)
                        .toList();
    }

    /** How one node sees another. */
    record Sight(
            String id,
            @Nullable String state,
            boolean linked,
            @Nullable Duration rtt) {}

    /** A queue. */
    record Waiting(String name, long backlog, long deadLetters, long undecided) {
        private long all() {
            return backlog + deadLetters + undecided;
        }
    }

    /** Entries of a queue that came from another node. */
    record Takeover(String queue, String from, long entries, long left) {}

    /** Returns what there is to say now, as JSON that is not too long: in a very large cluster queues and then peers are left out. */
    static byte[] write(NodeOperator operator, Instant since) {
        NodeSummary all = of(operator, since);
        byte[] text = JacksonText.bytes(all);
        if (text.length > Reports.BYTES_MAX) {
            text = JacksonText.bytes(all.with(all.peers, List.of(), List.of()));
        }
        return text.length > Reports.BYTES_MAX ? JacksonText.bytes(all.with(List.of(), List.of(), List.of())) : text;
    }

    /** A node that starts, stops or is in trouble says at least that. */
    private static NodeSummary of(NodeOperator operator, Instant since) {
        EndpointReport.Node self = operator.self();
        try {
            NodeStatistics statistics = operator.statistics();
            return of(self, since, statistics, operator.peers(), operator.queues(statistics));
        } catch (EndpointRefusal e) {
            return new NodeSummary(
                    self.site(), self.state(), release(), null, since, null, List.of(), List.of(), List.of());
        }
    }

    private static @Nullable String release() {
        return NodeOperator.class.getPackage().getImplementationVersion();
    }

    /** Returns the summary of a node that was looked at. */
    static NodeSummary of(
            EndpointReport.Node self,
            Instant since,
            NodeStatistics statistics,
            List<EndpointReport.Peer> peers,
            Map<String, EndpointReport.Queue> queues) {
        List<Sight> sights = new ArrayList<>();
        for (EndpointReport.Peer peer : peers) {
            sights.add(new Sight(peer.id(), peer.foreign() ? "FOREIGN" : peer.state(), peer.linked(), peer.rtt()));
        }
        return new NodeSummary(
                self.site(),
                self.state(),
                release(),
                statistics.store().name(),
                since,
                NodeView.Totals.of(statistics.of(OutboxActivity.class)),
                sights,
                waiting(queues),
                underWay(self.id(), statistics));
    }

    /** The others tell what they took over from this node. */
    private static List<Takeover> underWay(String self, NodeStatistics statistics) {
        List<Takeover> underWay = new ArrayList<>();
        for (EndpointReport.Takeover each : EndpointReport.Takeover.all(statistics.of(OutboxActivity.class))) {
            if (each.left() > 0 && each.to().equals(self)) {
                underWay.add(new Takeover(each.queue(), each.from(), each.entries(), each.left()));
            }
        }
        return underWay.subList(Math.max(0, underWay.size() - TAKEOVERS_MAX), underWay.size());
    }

    private static List<Waiting> waiting(Map<String, EndpointReport.Queue> queues) {
        List<Waiting> waiting = new ArrayList<>();
        queues.forEach((name, queue) -> {
            Waiting each = new Waiting(name, queue.backlog(), queue.deadLetters(), queue.undecided());
            if (each.all() > 0) {
                waiting.add(each);
            }
        });
        waiting.sort(Comparator.comparingLong(Waiting::all).reversed().thenComparing(Waiting::name));
        return waiting.subList(0, Math.min(QUEUES_MAX, waiting.size()));
    }

    NodeSummary withoutPeers() {
        return with(List.of(), queues, takeovers);
    }

    private NodeSummary with(List<Sight> somePeers, List<Waiting> someQueues, List<Takeover> someTakeovers) {
        return new NodeSummary(site, state, version, store, since, totals, somePeers, someQueues, someTakeovers);
    }
}
