package io.georep.bench.maps;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.bench.history.Consumption;
import io.georep.bench.history.History;
import io.georep.bench.process.ConsumptionWatch;
import io.georep.bench.process.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Five processes with replicated maps over a network that fails. What their clients saw must be linearizable. Runs with {@code
 * ./mvnw -Dgroups=chaos} only.
 */
@Tag("chaos")
class MapsChaosTest {
    private static final int KEEPERS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final long seed = Long.getLong("maps.seed", new Random().nextInt(Integer.MAX_VALUE));
    private final long seconds = Long.getLong("maps.seconds", 25);
    private final int[] starts = new int[MapCluster.NODES];
    private final Path kept = Path.of(System.getProperty("maps.directory", "target/chaos-maps"));

    private void say(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }

    @Test
    void whatAllClientsSawIsLinearizable() throws Exception {
        say(
                "Maps: %d s of accidents; to repeat the draws: ./mvnw -Dgroups=chaos -pl georep-bench -am"
                        + " -Dtest=MapsChaosTest -Dsurefire.failIfNoSpecifiedTests=false -Dmaps.seconds=%d -Dmaps.seed=%d",
                seconds, seconds, seed);
        History history = History.recording();
        try (Workspace workspace = Workspace.create("georep-maps");
                MapCluster cluster =
                        new MapCluster(workspace, seed, MapNode.class, node -> arguments(workspace, node));
                ConsumptionWatch watch = new ConsumptionWatch(cluster::children, history)) {
            watch.start();
            try {
                for (int node = 0; node < MapCluster.NODES; node++) {
                    cluster.start(node);
                }
                awaitWrites(workspace, cluster);
                new MapNemesis(cluster, new Random(seed)).accidents(seconds);
                awaitWrites(workspace, cluster);
                cluster.stopAll();
                judge(workspace);
                assertThat(history.events()).hasSizeGreaterThan(MapCluster.NODES);
                assertThat(Consumption.judge(history.events())).isEmpty();
            } catch (AssertionError | Exception e) {
                cluster.keep(kept, ".history");
                throw e;
            }
        }
    }

    private List<String> arguments(Workspace workspace, int node) {
        String history = MapCluster.name(node) + "-" + starts[node]++ + ".history";
        return List.of(
                "--keepers",
                String.join(",", MapCluster.names(KEEPERS)),
                "--founders",
                String.join(",", MapCluster.names(MapCluster.NODES)),
                "--history",
                workspace.directory().resolve(history).toString());
    }

    /** The files of all starts of a node. */
    private static List<Path> histories(Workspace workspace, int node) throws IOException {
        try (Stream<Path> files = Files.list(workspace.directory())) {
            return files.filter(
                            each -> each.getFileName().toString().matches(MapCluster.name(node) + "-\\d+\\.history"))
                    .sorted(Comparator.comparing((Path each) -> each.toString().length())
                            .thenComparing(each -> each))
                    .toList();
        }
    }

    private static List<Path> histories(Workspace workspace) throws IOException {
        List<Path> all = new ArrayList<>();
        for (int node = 0; node < MapCluster.NODES; node++) {
            all.addAll(histories(workspace, node));
        }
        return all;
    }

    /** Waits until each process has done a write that it began after this call. */
    private void awaitWrites(Workspace workspace, MapCluster cluster) throws IOException, InterruptedException {
        long began = System.nanoTime();
        for (int node = 0; node < MapCluster.NODES; node++) {
            while (!wroteSince(workspace, node, began)) {
                cluster.check();
                if (System.nanoTime() - began > PATIENCE.toNanos()) {
                    throw new AssertionError("Waited " + PATIENCE.toSeconds() + " s in vain for a write of "
                            + MapCluster.name(node) + "; its calls ended so: " + fates(histories(workspace, node)));
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        say("all processes write, %d ms after all was well", (System.nanoTime() - began) / 1_000_000);
    }

    private static boolean wroteSince(Workspace workspace, int node, long since) throws IOException {
        List<Path> files = histories(workspace, node);
        return !files.isEmpty()
                && HistoryFile.read(files.get(files.size() - 1)).stream()
                        .map(HistoryFile.Call::operation)
                        .anyMatch(each -> each.kind() == Kind.PUT && each.isAnswered() && each.invoked() - since > 0);
    }

    private static Map<String, Long> fates(List<Path> files) throws IOException {
        Map<String, Long> fates = new TreeMap<>();
        for (Path file : files) {
            for (HistoryFile.Call call : HistoryFile.read(file)) {
                String kind = call.operation().kind() == Kind.READ ? "read " : "write ";
                fates.merge(kind + call.fate(), 1L, Long::sum);
            }
        }
        return fates;
    }

    private void judge(Workspace workspace) throws IOException {
        List<Operation> operations = new ArrayList<>();
        long slowest = 0;
        for (Path file : histories(workspace)) {
            for (HistoryFile.Call call : HistoryFile.read(file)) {
                // Leaves out writes that failed without effect: if a read sees one, the history cannot be explained.
                if (!call.fate().startsWith("X:")) {
                    operations.add(call.operation());
                } else {
                    slowest = Math.max(
                            slowest, call.endedNanos() - call.operation().invoked());
                }
            }
        }
        Map<String, Long> fates = fates(histories(workspace));
        say("calls: %s; longest until a refusal: %d ms", fates, slowest / 1_000_000);
        assertThat(fates.getOrDefault("read ok", 0L)).isGreaterThan(300);
        assertThat(fates.getOrDefault("write ok", 0L)).isGreaterThan(50);
        Judge.check(operations);
        say(
                "%d operations of %d processes can be put in one order per key",
                operations.size(), histories(workspace).size());
    }
}
