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
import org.jspecify.annotations.Nullable;

/**
 * What a node says of itself to those who look at another one. Anything but the lists may be missing in what comes from
 * another release.
 *
 * @param since when its application began to watch it
 * @param peers how it sees the others
 * @param queues those in which something waits or is set aside, the longest first
 */
record NodeSummary(
        @Nullable String site,
        @Nullable String state,
        @Nullable String version,
        @Nullable String store,
        @Nullable Instant since,
        NodeView.@Nullable Totals totals,
        List<Sight> peers,
        List<Waiting> queues) {
    private static final int QUEUES_MAX = 50;

    NodeSummary {
        // What comes from elsewhere may have anything missing.
        peers = peers == null
                ? List.of()
                : peers.stream()
                        .filter(each -> each != null && each.id() != null)
                        .toList();
        queues = queues == null
                ? List.of()
                : queues.stream()
                        .filter(each -> each != null && each.name() != null)
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

    /** Returns what there is to say now, as JSON that is not too long: in a very large cluster queues and then peers are left out. */
    static byte[] write(NodeOperator operator, Instant since) {
        NodeSummary all = of(operator, since);
        byte[] text = JacksonText.bytes(all);
        if (text.length > Reports.BYTES_MAX) {
            text = JacksonText.bytes(all.with(all.peers, List.of()));
        }
        return text.length > Reports.BYTES_MAX ? JacksonText.bytes(all.with(List.of(), List.of())) : text;
    }

    /** A node that starts, stops or is in trouble says at least that. */
    private static NodeSummary of(NodeOperator operator, Instant since) {
        EndpointReport.Node self = operator.self();
        try {
            NodeStatistics statistics = operator.statistics();
            return of(self, since, statistics, operator.peers(), operator.queues(statistics));
        } catch (EndpointRefusal e) {
            return new NodeSummary(self.site(), self.state(), release(), null, since, null, List.of(), List.of());
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
                waiting(queues));
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
        return with(List.of(), queues);
    }

    private NodeSummary with(List<Sight> somePeers, List<Waiting> someQueues) {
        return new NodeSummary(site, state, version, store, since, totals, somePeers, someQueues);
    }
}
