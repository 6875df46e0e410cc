package io.georep.bench.cluster;

import io.georep.bench.process.Arguments;
import io.georep.bench.process.Sample;
import io.georep.bench.process.Workspace;
import io.georep.model.Durability;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Adoption of many entries: a node without a handler stores them and is killed; the other, whose handler does nothing,
 * takes them over. Times count from the other's verdict that the first is dead.
 */
public final class AdoptionBench {
    private static final Duration FILL_WITHIN = Duration.ofMinutes(10);
    private static final Duration ADOPT_WITHIN = Duration.ofMinutes(5);

    private AdoptionBench() {}

    /** Options: {@code --entries 1000000 --bytes 300 --durability OS --handler direct --jvm "-Xmx512m"}. */
    public static void main(String[] args) throws IOException {
        Arguments arguments = Arguments.parse(args);
        long entries = arguments.number("entries", 1_000_000, 1, 100_000_000);
        int payloadBytes = arguments.count("bytes", 300, 1, 1 << 20);
        Durability durability = arguments.choice("durability", Durability.class, Durability.OS);
        LoadNode.Handler handler = arguments.choice("handler", LoadNode.Handler.class, LoadNode.Handler.DIRECT);
        String jvm = arguments.text("jvm", "-Xmx512m");
        arguments.finish();
        LoadCluster.Settings settings = new LoadCluster.Settings(
                1,
                durability,
                LoadNode.Handler.NONE,
                List.of(jvm.split(" ", -1)),
                List.of("--suspect", "1000", "--terminate", "2000"));
        try (Workspace workspace = Workspace.create("georep-bench-");
                LoadCluster cluster = new LoadCluster(workspace, settings)) {
            cluster.start(2);
            RemoteNode victim = cluster.nodes().get(0);
            RemoteNode adopter = cluster.nodes().get(1);
            long started = System.nanoTime();
            String failed = victim.ask("fill " + entries + " " + payloadBytes, FILL_WITHIN);
            long filled = System.nanoTime();
            adopter.ask("handle " + handler);
            Sample before = adopter.sample();
            victim.child().kill();
            LoadCluster.await(
                    "all adoptions", ADOPT_WITHIN, () -> adopter.sample().get("handled") >= entries);
            Sample after = adopter.sample();
            System.out.println(json(entries, payloadBytes, durability, handler, filled - started, before, after));
            if (!failed.equals("0")) {
                System.out.println(failed + " sends failed");
                System.exit(1);
            }
        }
        System.exit(0);
    }

    private static String json(
            long entries,
            int payloadBytes,
            Durability durability,
            LoadNode.Handler handler,
            long fillNanos,
            Sample before,
            Sample after) {
        long terminated = after.get("terminated");
        return String.format(
                Locale.ROOT,
                "{\"bench\":\"adoption\",\"entries\":%d,\"bytes\":%d,\"durability\":\"%s\",\"handler\":\"%s\","
                        + "\"storeSeconds\":%.2f,\"firstMillis\":%.1f,\"lastMillis\":%.1f,\"adopted\":%d,"
                        + "\"handled\":%d,\"cpuSeconds\":%.2f,\"rssBeforeMiB\":%d,\"rssPeakMiB\":%d,\"gcMillis\":%d}",
                entries,
                payloadBytes,
                durability,
                handler,
                fillNanos / 1e9,
                (after.get("handledFirst") - terminated) / 1e6,
                (after.get("handledLast") - terminated) / 1e6,
                after.get("adopted"),
                after.get("handled"),
                (after.get("cpu") - before.get("cpu")) / 1e9,
                before.get("rss") >> 20,
                after.get("rssPeak") >> 20,
                after.get("gcMillis") - before.get("gcMillis"));
    }
}
