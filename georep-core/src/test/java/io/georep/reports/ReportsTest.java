package io.georep.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.model.ClosedException;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.testing.LocalCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reports on real nodes. */
@Timeout(120)
class ReportsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private static @Nullable NodeReport look(GeoRepNode at, String of) {
        List<NodeReport> reports =
                at.service(Reports.class).look().toCompletableFuture().join();
        return reports.stream()
                .filter(report -> report.node().equals(NodeId.of(of)))
                .findAny()
                .orElse(null);
    }

    private static void awaitReport(GeoRepNode at, String of, Slice text) {
        await().atMost(LONG).until(() -> {
            NodeReport report = look(at, of);
            return report != null && text.equals(report.text());
        });
    }

    @Test
    void everyNodeShowsWhatTheOthersTell() {
        try (LocalCluster cluster = LocalCluster.start(3, NodeBuilder::reports)) {
            AtomicReference<String> text = new AtomicReference<>("well");
            cluster.node(2)
                    .service(Reports.class)
                    .answerWith(
                            () -> CompletableFuture.completedFuture(text.get().getBytes(StandardCharsets.UTF_8)));

            awaitReport(cluster.node(1), "n2", Slice.utf8("well"));
            awaitReport(cluster.node(3), "n2", Slice.utf8("well"));
            awaitReport(cluster.node(1), "n3", Slice.EMPTY);

            text.set("better");
            awaitReport(cluster.node(1), "n2", Slice.utf8("better"));

            cluster.crash(2);
            assertThat(look(cluster.node(1), "n2"))
                    .as("what was last known of it")
                    .satisfies(report -> assertThat(report.text()).isEqualTo(Slice.utf8("better")));
        }
    }

    @Test
    void aWriterThatFailsCostsItsReportOnly() {
        try (LocalCluster cluster = LocalCluster.start(2, NodeBuilder::reports)) {
            Reports told = cluster.node(2).service(Reports.class);
            told.answerWith(() -> {
                throw new IllegalStateException("on purpose");
            });
            awaitReport(cluster.node(1), "n2", Slice.EMPTY);
            told.answerWith(() -> CompletableFuture.completedFuture("x".getBytes(StandardCharsets.UTF_8)));
            awaitReport(cluster.node(1), "n2", Slice.utf8("x"));
            told.answerWith(() -> CompletableFuture.failedFuture(new IllegalStateException("on purpose")));
            awaitReport(cluster.node(1), "n2", Slice.EMPTY);
            told.answerWith(() -> CompletableFuture.completedFuture("y".getBytes(StandardCharsets.UTF_8)));
            awaitReport(cluster.node(1), "n2", Slice.utf8("y"));
            told.answerWith(() -> {
                throw new LinkageError("on purpose");
            });
            awaitReport(cluster.node(1), "n2", Slice.EMPTY);
            told.answerWith(() -> CompletableFuture.completedFuture("a".getBytes(StandardCharsets.UTF_8)));
            awaitReport(cluster.node(1), "n2", Slice.utf8("a"));
            told.answerWith(() -> CompletableFuture.completedFuture(new byte[Reports.BYTES_MAX + 1]));
            awaitReport(cluster.node(1), "n2", Slice.EMPTY);
            told.answerWith(() -> CompletableFuture.completedFuture("b".getBytes(StandardCharsets.UTF_8)));
            awaitReport(cluster.node(1), "n2", Slice.utf8("b"));
            told.answerWith(CompletableFuture::new);
            awaitReport(cluster.node(1), "n2", Slice.EMPTY);
        }
    }

    @Test
    void nodesWithoutReportsAreShownAsSuch() {
        AtomicInteger started = new AtomicInteger();
        try (LocalCluster cluster =
                LocalCluster.start(2, builder -> started.incrementAndGet() == 1 ? builder.reports() : builder)) {
            cluster.awaitReady(1);
            assertThat(look(cluster.node(1), "n2"))
                    .isEqualTo(new NodeReport(NodeId.of("n2"), false, null, Duration.ZERO));
            assertThatThrownBy(() -> cluster.node(2).service(Reports.class)).isInstanceOf(ConfigurationException.class);
        }
    }

    @Test
    void aStoppedNodeShowsNothing() {
        try (LocalCluster cluster = LocalCluster.start(1, NodeBuilder::reports)) {
            Reports reports = cluster.node(1).service(Reports.class);
            cluster.close(1, Duration.ZERO);
            assertThatThrownBy(() -> reports.look().toCompletableFuture().join())
                    .hasCauseInstanceOf(ClosedException.class);
        }
    }
}
