package io.georep.bench.cluster;

import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.bench.process.Sample;
import io.georep.bench.process.Workspace;
import io.georep.model.Durability;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Adoption of many entries: a node without a handler stores them and is killed; the other, whose handler does nothing,
 * takes them over. Times count from the other's verdict that the first is dead.
 */
@Command(
        name = "georep-bench/run AdoptionBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "How long the adoption of many entries takes.")
public final class AdoptionBench implements Callable<Integer> {
    private static final Duration FILL_WITHIN = Duration.ofMinutes(10);
    private static final Duration ADOPT_WITHIN = Duration.ofMinutes(5);

    @Range(min = 1, max = 100_000_000)
    @Option(names = "--entries", defaultValue = "1000000", description = "Entries to adopt.")
    private long entries;

    @Range(min = 1, max = 1 << 20)
    @Option(names = "--bytes", defaultValue = "300", description = "Size of a payload.")
    private int payloadBytes;

    @Option(names = "--durability", defaultValue = "OS", description = "${COMPLETION-CANDIDATES}.")
    private Durability durability = Durability.OS;

    @Option(names = "--handler", defaultValue = "DIRECT", description = "Where entries go: ${COMPLETION-CANDIDATES}.")
    private LoadNode.Handler handler = LoadNode.Handler.DIRECT;

    @Option(names = "--jvm", defaultValue = "-Xmx512m", description = "Options of the node processes.")
    private String jvm = "";

    private AdoptionBench() {}

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new AdoptionBench(), args);
    }

    @Override
    public Integer call() throws IOException {
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
            System.out.println(json(filled - started, before, after));
            if (!failed.equals("0")) {
                System.out.println(failed + " sends failed");
                return 1;
            }
        }
        return 0;
    }

    private String json(long fillNanos, Sample before, Sample after) {
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
