package io.georep.spring.boot.actuate.console;

import io.georep.GeoRepNode;
import io.georep.model.ConfigurationException;
import io.georep.model.Slice;
import io.georep.reports.NodeReport;
import io.georep.reports.Reports;
import io.georep.spring.boot.actuate.NodeOperator;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The whole cluster as its nodes tell it to the one that shows the page, and what this one tells the others. Thread-safe.
 */
final class ClusterView implements AutoCloseable {
    private static final long LOOK_SECONDS = 10;
    private static final long IDLE_SECONDS = 10;

    /**
     * A node, as it says itself.
     *
     * @param answers whether it can be asked: it has the console, too, and was met
     * @param seen how the node that shows the page sees it; null for itself
     * @param linked whether that has a link to it
     * @param heard when its last report came; null if none has, and of the node that shows the page
     * @param readable whether the last report could be read
     */
    record MemberItem(
            String id,
            boolean answers,
            @Nullable String seen,
            boolean linked,
            @Nullable Instant heard,
            boolean readable,
            @Nullable NodeSummary told) {
        private MemberItem withoutPeers() {
            return new MemberItem(
                    id, answers, seen, linked, heard, readable, told == null ? null : told.withoutPeers());
        }
    }

    /**
     * How a node sees the others.
     *
     * @param by its name
     * @param sights by name of the node that is seen
     */
    record SightItem(String by, Map<String, NodeSummary.Sight> sights) {}

    private record Heard(Slice text, @Nullable NodeSummary summary, boolean isReadable, Instant at) {}

    private final @Nullable Reports reports;
    /** Most looks find the same texts. */
    private final Map<String, Heard> heard = new HashMap<>();

    /** Writing a report waits for the node, which waits for nobody. */
    private final ThreadPoolExecutor writer =
            new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "georep-report");
                thread.setDaemon(true);
                return thread;
            });

    /** Tells others from now on, if the node has what that needs. */
    ClusterView(GeoRepNode node, NodeOperator operator) {
        Instant since = Instant.now();
        reports = reports(node);
        writer.allowCoreThreadTimeOut(true);
        if (reports != null) {
            reports.answerWith(() -> CompletableFuture.supplyAsync(() -> NodeSummary.write(operator, since), writer));
        }
    }

    /** An application may have made its node itself. */
    private static @Nullable Reports reports(GeoRepNode node) {
        try {
            return node.service(Reports.class);
        } catch (ConfigurationException e) {
            return null;
        }
    }

    /**
     * Returns what is known of all nodes, as items of the page, and asks them anew.
     *
     * @param self the name of this node
     * @param own what it says of itself
     */
    synchronized Map<String, Object> look(String self, NodeSummary own, Instant now) {
        Map<String, Object> items = new LinkedHashMap<>();
        if (reports == null) {
            return items;
        }
        List<NodeReport> all = reports.look()
                .toCompletableFuture()
                .orTimeout(LOOK_SECONDS, TimeUnit.SECONDS)
                .join();
        Map<String, NodeSummary.Sight> sights = new HashMap<>();
        own.peers().forEach(sight -> sights.put(sight.id(), sight));
        Set<String> names = new HashSet<>(Set.of(self));
        all.forEach(report -> names.add(report.node().value()));
        put(items, new MemberItem(self, true, null, true, null, true, own), names);
        for (NodeReport report : all) {
            put(items, member(report, sights.get(report.node().value()), now), names);
        }
        heard.keySet().removeIf(id -> !items.containsKey("member/" + id));
        return items;
    }

    private MemberItem member(NodeReport report, NodeSummary.@Nullable Sight sight, Instant now) {
        Heard last = heard(report, now);
        return new MemberItem(
                report.node().value(),
                report.answers(),
                sight == null ? null : sight.state(),
                sight != null && sight.linked(),
                last == null ? null : last.at,
                last == null || last.isReadable,
                last == null ? null : last.summary);
    }

    /** Returns the last report that says something: an empty one is of a node in trouble, and what it told before tells more. */
    private @Nullable Heard heard(NodeReport report, Instant now) {
        String id = report.node().value();
        Slice text = report.text();
        Heard before = heard.get(id);
        if (text == null || (text.length() == 0 && before != null && before.summary != null)) {
            return before;
        }
        Instant at = now.minus(report.age()).truncatedTo(ChronoUnit.SECONDS);
        Heard next;
        if (before != null && before.text.equals(text)) {
            next = new Heard(text, before.summary, before.isReadable, at);
        } else {
            NodeSummary summary = text.length() == 0 ? null : JacksonText.summary(text.toArray());
            next = new Heard(text, summary, text.length() == 0 || summary != null, at);
        }
        heard.put(id, next);
        return next;
    }

    /** Nobody looks: what was heard need not be kept. */
    synchronized void forget() {
        heard.clear();
    }

    /**
     * How nodes see each other changes seldom, so it is an item of its own.
     *
     * @param names of the nodes that this one knows: others are made up, or long gone
     */
    private static void put(Map<String, Object> items, MemberItem member, Set<String> names) {
        NodeSummary told = member.told;
        if (told != null) {
            Map<String, NodeSummary.Sight> sights = new LinkedHashMap<>();
            for (NodeSummary.Sight sight : told.peers()) {
                if (names.contains(sight.id())) {
                    // Round trips change with each report, and the page has them of its own node.
                    sights.put(sight.id(), new NodeSummary.Sight(sight.id(), sight.state(), sight.linked(), null));
                }
            }
            items.put("sight/" + member.id, new SightItem(member.id, sights));
        }
        items.put("member/" + member.id, member.withoutPeers());
    }

    @Override
    public void close() {
        writer.shutdown();
    }
}
