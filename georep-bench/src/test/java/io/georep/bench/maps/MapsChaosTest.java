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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Five processes with replicated maps over a network that fails. What their clients saw must be linearizable. Runs with {@code
 * ./mvnw -Dgroups=chaos} only.
 */
@Tag("chaos")
class MapsChaosTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final long seed = Long.getLong("maps.seed", new Random().nextInt(Integer.MAX_VALUE));
    private final long seconds = Long.getLong("maps.seconds", 25);
    private final Random random = new Random(seed);
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
                MapCluster cluster = new MapCluster(workspace, seed);
                ConsumptionWatch watch = new ConsumptionWatch(cluster::children, history)) {
            watch.start();
            try {
                for (int node = 0; node < MapCluster.NODES; node++) {
                    cluster.start(node);
                }
                awaitWrites(cluster);
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
                for (int number = 1; System.nanoTime() - end < 0; number++) {
                    accident(cluster, number);
                    pause(500, 2500);
                }
                awaitWrites(cluster);
                cluster.stopAll();
                judge(cluster);
                assertThat(history.events()).hasSizeGreaterThan(MapCluster.NODES);
                assertThat(Consumption.judge(history.events())).isEmpty();
            } catch (AssertionError | Exception e) {
                keep(workspace, cluster);
                throw e;
            }
        }
    }

    private void pause(int leastMillis, int mostMillis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(leastMillis + random.nextInt(mostMillis - leastMillis + 1));
    }

    private void accident(MapCluster cluster, int number) throws IOException, InterruptedException {
        int node = random.nextInt(MapCluster.NODES);
        int other = (node + 1 + random.nextInt(MapCluster.NODES - 1)) % MapCluster.NODES;
        int kind = random.nextInt(8);
        switch (kind) {
            case 0, 1 -> {
                say("accident %d: kill -9 of node %d", number, node);
                cluster.kill(node);
                pause(0, 6000);
                cluster.start(node);
            }
            case 2, 3 -> {
                say("accident %d: node %d stands still", number, node);
                cluster.freeze(node);
                pause(300, 5000);
                cluster.thaw(node);
            }
            case 4, 5 -> split(cluster, number);
            case 6 -> {
                say("accident %d: node %d does not reach node %d", number, node, other);
                cluster.block(node, other);
                pause(500, 5000);
                cluster.heal();
            }
            default -> {
                say(
                        "accident %d: all links of node %d break; kill -9 of node %d and of node %d",
                        number, node, node, other);
                for (int each = 0; each < MapCluster.NODES; each++) {
                    if (each != node) {
                        cluster.breakLinks(node, each);
                    }
                }
                cluster.kill(node);
                cluster.kill(other);
                pause(0, 3000);
                cluster.start(other);
                cluster.start(node);
            }
        }
        for (int each = 0; each < MapCluster.NODES; each++) {
            cluster.check(each);
        }
    }

    private void split(MapCluster cluster, int number) throws InterruptedException {
        int sides = 1 + random.nextInt((1 << MapCluster.NODES) - 2);
        say(
                "accident %d: split %s",
                number, Integer.toBinaryString((1 << MapCluster.NODES) | sides).substring(1));
        for (int from = 0; from < MapCluster.NODES; from++) {
            for (int to = 0; to < MapCluster.NODES; to++) {
                if (from != to && (sides >> from & 1) != (sides >> to & 1)) {
                    cluster.block(from, to);
                }
            }
        }
        pause(500, 6000);
        cluster.heal();
    }

    /** Waits until each process has done a write that it began after this call. */
    private void awaitWrites(MapCluster cluster) throws IOException, InterruptedException {
        long began = System.nanoTime();
        for (int node = 0; node < MapCluster.NODES; node++) {
            while (!wroteSince(cluster, node, began)) {
                cluster.check(node);
                if (System.nanoTime() - began > PATIENCE.toNanos()) {
                    throw new AssertionError("Waited " + PATIENCE.toSeconds() + " s in vain for a write of "
                            + MapCluster.name(node) + "; its calls ended so: " + fates(cluster.histories(node)));
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        say("all processes write, %d ms after all was well", (System.nanoTime() - began) / 1_000_000);
    }

    private static boolean wroteSince(MapCluster cluster, int node, long since) throws IOException {
        List<Path> files = cluster.histories(node);
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

    private void judge(MapCluster cluster) throws IOException {
        List<Operation> operations = new ArrayList<>();
        long slowest = 0;
        for (Path file : cluster.histories()) {
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
        Map<String, Long> fates = fates(cluster.histories());
        say("calls: %s; longest until a refusal: %d ms", fates, slowest / 1_000_000);
        assertThat(fates.getOrDefault("read ok", 0L)).isGreaterThan(300);
        assertThat(fates.getOrDefault("write ok", 0L)).isGreaterThan(50);
        Judge.check(operations);
        say(
                "%d operations of %d processes can be put in one order per key",
                operations.size(), cluster.histories().size());
    }

    private void keep(Workspace workspace, MapCluster cluster) throws IOException {
        Files.createDirectories(kept);
        List<Path> files = new ArrayList<>(cluster.histories());
        for (int node = 0; node < MapCluster.NODES; node++) {
            files.add(workspace.directory().resolve(MapCluster.name(node) + ".log"));
        }
        for (Path file : files) {
            if (Files.exists(file)) {
                Files.copy(file, kept.resolve(file.getFileName()), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            }
        }
        say("Histories and logs: %s", kept.toAbsolutePath());
    }
}
