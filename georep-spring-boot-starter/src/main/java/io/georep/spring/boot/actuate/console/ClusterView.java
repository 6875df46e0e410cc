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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
     * @param heard when its last report came; null if none has, and of the node that shows the page
     * @param readable whether the last report could be read
     */
    record MemberItem(
            String id,
            boolean answers,
            @Nullable Instant heard,
            boolean readable,
            @Nullable NodeSummary told) {}

    /**
     * How a node sees the others.
     *
     * @param by its name
     * @param sights by name of the node that is seen
     */
    record SightItem(String by, Map<String, NodeSummary.Sight> sights) {}

    private record Read(Slice text, @Nullable NodeSummary summary) {}

    private final NodeOperator operator;
    private final @Nullable Reports reports;
    private final Instant since = Instant.now();

    /** What was read stays read: most looks find the same texts. */
    private final Map<String, Read> read = new HashMap<>();

    /** Writing a report waits for the node, which waits for nobody. */
    private final ThreadPoolExecutor writer =
            new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "georep-report");
                thread.setDaemon(true);
                return thread;
            });

    /** Tells others from now on, if the node has what that needs. */
    ClusterView(GeoRepNode node, NodeOperator operator) {
        this.operator = operator;
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

    /** Returns what is known of all nodes, as items of the page, and asks them anew. */
    synchronized Map<String, Object> look(Instant now) {
        Map<String, Object> items = new LinkedHashMap<>();
        if (reports == null) {
            return items;
        }
        List<NodeReport> all = reports.look()
                .toCompletableFuture()
                .orTimeout(LOOK_SECONDS, TimeUnit.SECONDS)
                .join();
        String self = operator.self().id();
        NodeSummary own = JacksonText.summary(NodeSummary.write(operator, since));
        put(items, new MemberItem(self, true, null, true, own));
        for (NodeReport report : all) {
            String id = report.node().value();
            Slice text = report.text();
            NodeSummary told = text == null ? null : read(id, text);
            Instant heard = text == null ? null : now.minus(report.age()).truncatedTo(ChronoUnit.SECONDS);
            boolean readable = text == null || text.length() == 0 || told != null;
            put(items, new MemberItem(id, report.answers(), heard, readable, told));
        }
        read.keySet().removeIf(id -> !items.containsKey("member/" + id));
        return items;
    }

    private @Nullable NodeSummary read(String id, Slice text) {
        Read before = read.get(id);
        if (before == null || !before.text.equals(text)) {
            before = new Read(text, text.length() == 0 ? null : JacksonText.summary(text.toArray()));
            read.put(id, before);
        }
        return before.summary;
    }

    /** How nodes see each other changes seldom, so it is an item of its own. */
    private static void put(Map<String, Object> items, MemberItem member) {
        NodeSummary told = member.told;
        if (told != null) {
            Map<String, NodeSummary.Sight> sights = new LinkedHashMap<>();
            for (NodeSummary.Sight sight : told.peers()) {
                // Round trips change with each report, and the page has them of its own node.
                sights.put(sight.id(), new NodeSummary.Sight(sight.id(), sight.state(), sight.linked(), null));
            }
            items.put("sight/" + member.id, new SightItem(member.id, sights));
            member = new MemberItem(member.id, member.answers, member.heard, member.readable, told.withoutPeers());
        }
        items.put("member/" + member.id, member);
    }

    @Override
    public void close() {
        writer.shutdown();
    }
}
