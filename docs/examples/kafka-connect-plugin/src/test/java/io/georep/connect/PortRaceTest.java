package io.georep.connect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.FreePort;
import io.georep.GeoRepNode;
import io.georep.NodeState;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.common.config.AbstractConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Another process takes a port after the task has seen it free: nothing is wrong, and the next port does. */
@Timeout(60)
class PortRaceTest {
    @TempDir
    Path directory;

    @Test
    void aPortThatAnotherProcessTakesMeanwhileIsNoError() throws Exception {
        int first = FreePort.findRange(2);
        Map<String, String> settings = Map.of(
                "name", "to-nyc",
                "topics", "orders",
                "georep.worker", "w1",
                "georep.task", "0",
                "georep.data.dir", directory.toString(),
                "georep.seeds", "127.0.0.1:" + first,
                "georep.listen", "127.0.0.1:" + first + "-" + (first + 1));
        NodeSettings node =
                new NodeSettings(new AbstractConfig(SinkSettings.CONFIG, settings, false), TaskName.Role.SINK);
        Path store = node.stores().resolve("w1-0");
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, UTF_8));
        try (ServerSocket faster = new ServerSocket()) {
            // The node opens its store before it listens.
            CompletableFuture<Void> taken = CompletableFuture.runAsync(() -> {
                while (!Files.exists(store)) {
                    Thread.onSpinWait();
                }
                try {
                    faster.bind(new InetSocketAddress("127.0.0.1", first));
                } catch (java.io.IOException e) {
                    throw new IllegalStateException("the node was faster", e);
                }
            });
            GeoRepNode started = TaskNode.startOnFreePort(node, "w1-0");
            try {
                taken.get();
                assertThat(started.identity().address()).endsWith(":" + (first + 1));
            } finally {
                started.close(Duration.ZERO);
            }
        } finally {
            System.setErr(before);
        }
        assertThat(said.toString(UTF_8))
                .contains("INFO io.georep.connect.TaskNode - Port " + first + " is not for node w1-0")
                .doesNotContain("ERROR")
                .doesNotContain("WARN");
    }

    private NodeSettings task(int number, String listen) {
        Map<String, String> settings = Map.of(
                "name", "to-nyc",
                "topics", "orders",
                "georep.worker", "w1",
                "georep.task", "" + number,
                "georep.data.dir", directory.toString(),
                "georep.seeds", "127.0.0.1:1",
                "georep.listen", listen,
                "georep.leftovers.after.ms", "1");
        return new NodeSettings(new AbstractConfig(SinkSettings.CONFIG, settings, false), TaskName.Role.SINK);
    }

    /** Port 0 is another one for each of them. */
    @Test
    void tasksThatTakeAnyPortMayStartAtOnce() {
        List<CompletableFuture<GeoRepNode>> all = IntStream.range(0, 4)
                .mapToObj(number -> CompletableFuture.supplyAsync(
                        () -> TaskNode.startOnFreePort(task(number, "127.0.0.1:0"), "w1-" + number),
                        task -> new Thread(task).start()))
                .toList();

        assertThat(all).allSatisfy(each -> each.join().close(Duration.ZERO));
    }

    /** Else its task could not start here as long as this worker runs. */
    @Test
    void aStoreThatIsLeftOverIsClosedAgainIfItsQueuesCannotBeOpened() throws Exception {
        NodeSettings gone = task(1, "127.0.0.1:0");
        String name = gone.task().nodeId();
        TaskNode.startOnFreePort(gone, name).close(Duration.ZERO);
        CompletableFuture<GeoRepNode> opened = new CompletableFuture<>();

        TaskNode other = TaskNode.start(task(0, "127.0.0.1:0"), node -> {
            opened.complete(node);
            throw new IllegalArgumentException("a queue of this name cannot be opened");
        });
        try {
            GeoRepNode leftover = opened.get();
            assertThat(leftover.identity().id().value()).isEqualTo(name);
            StoreClaim.take(gone.stores().resolve(name), Duration.ofSeconds(30)).release();
            assertThat(leftover.state()).isEqualTo(NodeState.CLOSED);
        } finally {
            other.kill();
        }
    }
}
