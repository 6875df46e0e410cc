package io.georep.funnel.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.ViewMaster;
import io.georep.model.NodeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log of the master does not grow for ever, and a replica that was away too long for it catches up. */
@Tag("servers")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RatisSnapshotTest {
    private static final int EVERY = 20;

    @TempDir
    private Path directory;

    private int pods;

    private List<String> files(String node, String part) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve(node))) {
            return files.map(each -> each.getFileName().toString())
                    .filter(name -> name.startsWith(part))
                    .toList();
        }
    }

    private boolean hasLost(String node, String file) {
        try {
            return !files(node, "log_").contains(file);
        } catch (IOException | UncheckedIOException e) {
            return false; // It changes while it is read.
        }
    }

    /** Renewals of members leave no entries; the first one of a node that was not known does. */
    private void meetAnother(ViewMaster master) {
        NodeId pod = NodeId.of("pod-" + ++pods);
        master.renew(new ViewMaster.Renewal(pod, 1L << 32, 0, 0, List.of()))
                .exceptionally(none -> null)
                .toCompletableFuture()
                .join();
    }

    @Test
    void aReplicaThatWasAwayGetsASnapshot() throws Exception {
        try (Masters masters = new Masters(directory, EVERY, "a", "b")) {
            Masters.Node a = masters.start("a");
            Masters.Node b = masters.start("b");
            Masters.Node c = masters.start("c");
            masters.await("the first view", () -> a.serves(1, "a", "b") && b.serves(1, "a", "b"));
            masters.await(
                    "its replica",
                    () -> c.master.machine() != null && c.master.machine().view() == 1);
            Masters.close(List.of(a, b, c));

            Masters.Node second = masters.start("a", 2, a.activeView);
            Masters.Node other = masters.start("b", 2, b.activeView);
            masters.await("a later view", () -> second.isServed() && other.isServed());
            String old = files("a", "log_0-").get(0);
            masters.await("a log without its beginning", () -> {
                meetAnother(second.master);
                return hasLost("a", old) && hasLost("b", old);
            });

            Masters.Node back = masters.start("c", 2, 0);
            masters.await(
                    "what was decided meanwhile",
                    () -> back.master.machine() != null && back.master.machine().view() >= 2);
            assertThat(files("c", "snapshot.")).isNotEmpty();
        }
    }
}
