package io.georep.connect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
}
