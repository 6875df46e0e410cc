package io.georep.spring.boot.actuate.console;

import io.georep.NodeStatistics;
import io.georep.model.NodeId;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.OutboxStatistics;
import io.georep.outbox.QueueStatistics;
import io.georep.spring.Connectors;
import io.georep.spring.boot.actuate.AdoptionLog;
import io.georep.spring.boot.actuate.EndpointRefusal;
import io.georep.spring.boot.actuate.EndpointReport;
import io.georep.spring.boot.actuate.NodeOperator;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the page shows, as items under keys like {@code peer/n2}, so that only what has changed needs to be sent. One thread at a
 * time.
 */
final class NodeView {
    /** The newest adoptions, and the newest takeovers, that a page shows. */
    private static final int ADOPTIONS_MAX = 100;

    private static final int NOT_FOUND = 404;

    /**
     * The node.
     *
     * @param problem why nothing else is known now; null if it is
     * @param orders whether a page may give orders
     */
    record NodeItem(
            EndpointReport.Node self,
            @Nullable String version,
            Instant since,
            @Nullable String problem,
            @Nullable String store,
            @Nullable Totals totals,
            boolean orders) {}

    /** The outboxes of the node together. */
    record Totals(
            long accepted,
            long acknowledged,
            long rejected,
            long indeterminate,
            long forwarded,
            long adopted,
            long ceded,
            long backlog,
            long deadLetters,
            long undecided,
            long copies,
            long heldBack,
            long shortOfCopies,
            long pendingSends) {
        static Totals of(OutboxActivity activity) {
            OutboxStatistics read = activity.protocol();
            long dead = sum(read.deadLetters());
            return new Totals(
                    read.accepted(),
                    read.acknowledged(),
                    read.rejected(),
                    read.indeterminate(),
                    read.forwarded(),
                    read.adopted(),
                    read.ceded(),
                    sum(read.held()) - dead,
                    dead,
                    sum(read.undecided()),
                    read.copies(),
                    read.heldBack(),
                    read.shortOfCopies(),
                    activity.pendingSends());
        }

        private static long sum(Map<String, Long> byQueue) {
            return byQueue.values().stream().mapToLong(Long::longValue).sum();
        }

        private Map<String, Long> figures() {
            return Map.of(
                    "acknowledged", acknowledged, "forwarded", forwarded, "backlog", backlog, "short", shortOfCopies);
        }
    }

    /**
     * Another node.
     *
     * @param stateSince when this node began to see it so; unlike its age, that stays the same
     * @param clockAhead in whole seconds, so that it seldom changes
     * @param copies how many entries this node keeps that the other one is to forward
     */
    record PeerItem(
            String id,
            String site,
            String state,
            Instant stateSince,
            long incarnation,
            @Nullable Duration rtt,
            @Nullable Duration rttMin,
            boolean linked,
            boolean selectable,
            boolean drained,
            boolean foreign,
            @Nullable Duration clockAhead,
            boolean clockOff,
            long copies) {}

    /**
     * Entries whose holder changed.
     *
     * @param over when the last of them was over, as far as it was looked at; null if some are left
     */
    record TakeoverItem(
            String queue,
            String from,
            String to,
            long entries,
            long left,
            Instant began,
            @Nullable Instant over) {}

    /**
     * A queue.
     *
     * @param waitingSince since when something waits, as far as it was looked at; null if nothing does
     */
    record QueueItem(
            String name,
            EndpointReport.Queue queue,
            @Nullable Instant waitingSince) {}

    /** The figures of a protocol that tell whether it is well. */
    record ProtocolItem(String name, Map<String, Object> summary) {}

    /** What one look has found. */
    record Look(Map<String, Object> items, History.@Nullable Sample sample) {}

    private record Since(String state, Instant at) {}

    private final NodeOperator operator;
    private final Timeline timeline;
    private final Differences differences;
    private final ClusterView cluster;
    private final boolean orders;
    private final Instant started;
    private Map<String, Since> peerStates = Map.of();
    private Map<String, Instant> waiting = Map.of();

    NodeView(NodeOperator operator, ClusterView cluster, Timeline timeline, boolean orders, Instant started) {
        this.operator = operator;
        this.cluster = cluster;
        this.timeline = timeline;
        this.differences = new Differences(timeline);
        this.orders = orders;
        this.started = started;
    }

    /**
     * Looks at the node; one that cannot answer is told as such, with what is known without it.
     *
     * @param isWatched whether somebody is to see it: only then the other nodes are asked
     */
    Look look(Instant now, boolean isWatched) {
        Map<String, Object> items = new LinkedHashMap<>();
        EndpointReport.Node self = operator.self();
        differences.node(self, now);
        String problem = null;
        NodeStatistics statistics = null;
        Totals totals = null;
        History.Sample sample = null;
        try {
            statistics = operator.statistics();
            differences.store(statistics.store().name(), self.id(), now);
            List<EndpointReport.Peer> peers = operator.peers();
            OutboxActivity activity = statistics.of(OutboxActivity.class);
            peers(peers, activity.protocol().copiesOf(), items, now);
            takeovers(operator.takeovers(statistics), items, now);
            totals = Totals.of(activity);
            Map<String, EndpointReport.Queue> queues = operator.queues(statistics);
            sample = queues(queues, totals, items, now);
            protocols(statistics, items);
            parts(items);
            if (isWatched) {
                items.putAll(cluster.look(self.id(), NodeSummary.of(self, started, statistics, peers, queues), now));
            } else {
                cluster.forget();
            }
        } catch (RuntimeException e) {
            problem = String.valueOf(e.getMessage());
        }
        adoptions(items, now);
        items.put(
                "node",
                new NodeItem(
                        self,
                        NodeOperator.class.getPackage().getImplementationVersion(),
                        started,
                        problem,
                        statistics == null ? null : statistics.store().name(),
                        totals,
                        orders));
        timeline.all().forEach((number, event) -> items.put("event/" + number, event));
        return new Look(items, sample);
    }

    private void peers(
            List<EndpointReport.Peer> peers, Map<NodeId, Long> copiesOf, Map<String, Object> items, Instant now) {
        differences.peers(peers, now);
        Map<String, Since> states = new HashMap<>();
        for (EndpointReport.Peer each : peers) {
            Since since = peerStates.get(each.id());
            if (since == null || !since.state().equals(each.state())) {
                since = new Since(each.state(), now.minus(each.since()).truncatedTo(ChronoUnit.SECONDS));
            }
            states.put(each.id(), since);
            items.put(
                    "peer/" + each.id(),
                    new PeerItem(
                            each.id(),
                            each.site(),
                            each.state(),
                            since.at(),
                            each.incarnation(),
                            each.rtt(),
                            each.rttMin(),
                            each.linked(),
                            each.selectable(),
                            each.drained(),
                            each.foreign(),
                            rounded(each.clockAhead()),
                            each.clockOff(),
                            copiesOf.getOrDefault(NodeId.of(each.id()), 0L)));
        }
        peerStates = states;
    }

    private static void takeovers(List<EndpointReport.Takeover> all, Map<String, Object> items, Instant now) {
        for (EndpointReport.Takeover each : all.subList(Math.max(0, all.size() - ADOPTIONS_MAX), all.size())) {
            Instant began = now.minus(each.age()).truncatedTo(ChronoUnit.SECONDS);
            items.put(
                    "takeover/" + each.queue() + "/" + each.from() + "/" + each.to(),
                    new TakeoverItem(
                            each.queue(),
                            each.from(),
                            each.to(),
                            each.entries(),
                            each.left(),
                            began,
                            each.left() > 0 ? null : began.plus(each.lasted())));
        }
    }

    private static @Nullable Duration rounded(@Nullable Duration time) {
        return time == null ? null : Duration.ofSeconds(Math.round(time.toMillis() / 1000.0));
    }

    private History.Sample queues(
            Map<String, EndpointReport.Queue> queues, Totals totals, Map<String, Object> items, Instant now) {
        differences.queues(queues, now);
        Map<String, Instant> waitingNow = new HashMap<>();
        Map<String, Map<String, Long>> figures = new LinkedHashMap<>();
        queues.forEach((name, queue) -> {
            if (queue.backlog() > 0) {
                waitingNow.put(name, waiting.getOrDefault(name, now.truncatedTo(ChronoUnit.SECONDS)));
            }
            items.put("queue/" + name, new QueueItem(name, queue, waitingNow.get(name)));
            QueueStatistics statistics = queue.statistics();
            figures.put(
                    name,
                    statistics == null
                            ? Map.of("backlog", queue.backlog())
                            : Map.of(
                                    "acknowledged",
                                    statistics.acknowledged(),
                                    "forwarded",
                                    statistics.forwarded(),
                                    "backlog",
                                    queue.backlog()));
        });
        waiting = waitingNow;
        return new History.Sample(totals.figures(), figures);
    }

    private static void protocols(NodeStatistics statistics, Map<String, Object> items) {
        statistics.protocols().forEach((name, protocol) -> {
            Map<String, Object> summary = protocol.summary();
            if (!summary.isEmpty()) {
                items.put("protocol/" + name, new ProtocolItem(name, summary));
            }
        });
    }

    private void parts(Map<String, Object> items) {
        for (String part : List.of("maps", "ordered-maps", "fleet")) {
            try {
                items.put("part/" + part, operator.part(part));
            } catch (EndpointRefusal e) {
                if (e.status() != NOT_FOUND) {
                    items.put("part/" + part, Map.of("reason", String.valueOf(e.getMessage())));
                }
            }
        }
        for (Connectors.Status each : operator.connectors()) {
            items.put("connector/" + each.name(), each);
        }
    }

    private void adoptions(Map<String, Object> items, Instant now) {
        List<AdoptionLog.Adopted> all = operator.adoptions();
        differences.adoptions(all, now);
        List<AdoptionLog.Adopted> newest = all.subList(Math.max(0, all.size() - ADOPTIONS_MAX), all.size());
        for (AdoptionLog.Adopted each : newest) {
            items.put("adoption/" + each.queue() + "/" + each.from(), each);
        }
    }
}
