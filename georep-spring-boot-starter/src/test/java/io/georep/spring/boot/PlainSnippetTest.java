package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.model.EntryId;
import io.georep.netty.NettyTransportFactory;
import io.georep.netty.SharedSecret;
import io.georep.outbox.Outbox;
import io.georep.testing.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Java of README.md and docs/use/quickstart.md does what these pages say; with threads, ten times out of ten. */
@Timeout(120)
class PlainSnippetTest {
    private static final String README = "README.md";
    private static final String QUICKSTART = "docs/use/quickstart.md";
    private static final int TIMES = Integer.getInteger("georep.snippet.times", 10);
    private static final int AT_ONCE = 5;
    private static final int MANY = 500;

    @TempDir
    static Path directory;

    @TempDir
    Path data;

    private final SnippetPage quickstart = SnippetPage.of(QUICKSTART);

    @Test
    void everySnippetIsRun() {
        assertThat(SnippetPage.of(README, QUICKSTART).snippets())
                .as("the other one is run by SpringSnippetTest")
                .hasSize(2);
        assertThat(quickstart.snippets()).hasSize(7);
        assertThat(quickstart.needlessImports()).isEmpty();
    }

    @RepeatedTest(10)
    void readmeStartsSendsAndForwards() throws Exception {
        SnippetPage readme = SnippetPage.of(README, QUICKSTART);
        try (GeoRepNode other = neighbour()) {
            String here = onThisMachine(readme.snippet("sendAndWait"), other)
                    .replace("node.awaitReady", "this.node = node;\nnode.awaitReady");
            Snippets.Statements snippet = readme.statements(Snippets.Statements.class, directory, here);

            snippet.run();

            assertThat(snippet.operator.submitted.poll(60, TimeUnit.SECONDS)).isEqualTo("Your code is 1234");
            snippet.node.close(Duration.ZERO);
        }
    }

    @Test
    void aNodeStartsAndStops() throws Exception {
        try (GeoRepNode other = neighbour()) {
            String here = onThisMachine(quickstart.snippet("GeoRepNode.builder()"), other);
            Snippets.Statements start =
                    quickstart.statements(Snippets.Statements.class, directory, here + "this.node = node;\n");
            start.run();
            Awaitility.await().until(() -> start.node.ready(1));
            Snippets.Statements stop = statements("node.close(");
            stop.node = start.node;

            stop.run();

            assertThat(start.node.state()).isEqualTo(NodeState.CLOSED);
            assertThat(other.state()).isEqualTo(NodeState.RUNNING);
        }
    }

    /** Ports and directories that are free on any machine. */
    private String onThisMachine(String snippet, GeoRepNode other) {
        return snippet.replace(".listen(7400)", ".listen(\"127.0.0.1\", 0)")
                .replace("nyc-1.example.net:7400", other.identity().address())
                .replace("/etc/gateway/secret", secret().toString().replace('\\', '/'))
                .replace("/var/lib/gateway", data.resolve("gateway").toString().replace('\\', '/'));
    }

    private Path secret() {
        Path file = data.resolve("secret");
        try {
            return Files.writeString(file, "HKHYmyd5gZcmvpBkvqwC9Fvf8g6BkKXNwT0uRtVUFzg=\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private GeoRepNode neighbour() {
        return GeoRepNode.builder()
                .nodeId("nyc-1")
                .site("us-nyc")
                .listen("127.0.0.1", 0)
                .transport(new NettyTransportFactory(links -> links.secret(SharedSecret.ofFile(secret()))))
                .dataDir(data.resolve("nyc-1"))
                .expectedAway(Duration.ZERO)
                .start();
    }

    @RepeatedTest(10)
    void sendingTellsTheProducer() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(3)) {
            cluster.awaitReady(1);
            Snippets.Statements snippet = statements("producer.accepted");
            snippet.node = cluster.node(1);

            snippet.run();

            assertThat(snippet.producer.told.poll(60, TimeUnit.SECONDS)).isInstanceOf(EntryId.class);
        }
    }

    @RepeatedTest(10)
    void forwardingGetsWhatWasSent() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            cluster.awaitReady(1);
            Snippets.Statements snippet = statements("outbox.onAdoption");
            snippet.outbox = cluster.node(1).outbox("sms", String.class);
            snippet.run();

            snippet.outbox.sendAndWait("hello", Duration.ofSeconds(10));

            assertThat(snippet.operator.submitted.poll(60, TimeUnit.SECONDS)).isEqualTo("hello");
        }
    }

    /** For the first two of the back-offs, of 1 s and 2 s. */
    @Test
    void whatWaitsForAConsumerThatIsDownIsForwardedWhenItIsBack() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            cluster.awaitReady(1);
            Snippets.Statements snippet = statements("outbox.onAdoption");
            snippet.outbox = cluster.node(1).outbox("sms", String.class);
            snippet.operator.downFor(2 * MANY);
            snippet.run();

            List<String> texts =
                    IntStream.range(0, MANY).mapToObj(Integer::toString).toList();
            for (CompletionStage<EntryId> sent : snippet.outbox.sendAll(texts)) {
                sent.toCompletableFuture().get(60, TimeUnit.SECONDS);
            }

            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> snippet.outbox.statistics().forwarded() == MANY);
            assertThat(snippet.operator.submitted).containsExactlyInAnyOrderElementsOf(texts);
            assertThat(snippet.outbox.statistics().failedAttempts()).isEqualTo(2 * MANY);
            assertThat(snippet.outbox.statistics().deadLettered()).isZero();
        }
    }

    @RepeatedTest(10)
    void aTransactionDecides() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            cluster.awaitReady(1);
            Snippets.Statements snippet = statements("outbox.prepare");
            Outbox<String> outbox = cluster.node(1).outbox("sms", String.class);
            outbox.forward(delivery -> snippet.operator.submit(delivery.payload()));
            snippet.outbox = outbox;

            snippet.run();

            assertThat(snippet.operator.submitted.poll(60, TimeUnit.SECONDS)).isEqualTo("hello");
        }
    }

    @RepeatedTest(10)
    void anApplicationsOwnQueueIsReplicated() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            cluster.awaitReady(1);
            Snippets.Statements snippet = statements("node.replication");
            snippet.node = cluster.node(1);

            snippet.run();

            assertThat(snippet.queue.ids.poll(60, TimeUnit.SECONDS)).isNotNull();
        }
    }

    /** The snippet judges itself. */
    @Test
    void theTestThatUsersCopyAlwaysPasses() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int i = 0; i < TIMES; i++) {
                Snippets.Statements snippet = statements("cluster.crash(1)");
                runs.add(threads.submit(() -> {
                    snippet.run();
                    return null;
                }));
            }
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private Snippets.Statements statements(String mark) {
        return quickstart.statements(Snippets.Statements.class, directory, quickstart.snippet(mark));
    }
}
