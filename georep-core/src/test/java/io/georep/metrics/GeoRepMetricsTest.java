package io.georep.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.model.Durability;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spi.UnreadablePeer;
import io.georep.testing.LocalCluster;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GeoRepMetricsTest {

    @Test
    void metersShowWhatTheNodeCounted() {
        GeoRepNode node = GeoRepNode.builder()
                .nodeId("solo")
                .durability(Durability.MEMORY)
                .start();
        Outbox<String> outbox = node.outbox("mail", String.class, options -> options.f(0));
        outbox.sendAndWait("a", Duration.ofSeconds(20));
        outbox.sendAndWait("b", Duration.ofSeconds(20));
        outbox.prepare("c", SendOptions.defaults())
                .toCompletableFuture()
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();

        new GeoRepMetrics(node).bindTo(registry);

        await().atMost(Duration.ofSeconds(20))
                .until(() -> registry.find("georep.queue.held").gauge() != null);
        assertThat(registry.get("georep.acknowledged")
                        .tag("node", "solo")
                        .functionCounter()
                        .count())
                .isEqualTo(3);
        assertThat(registry.get("georep.queue.held")
                        .tag("queue", "mail")
                        .gauge()
                        .value())
                .isEqualTo(3);
        assertThat(registry.get("georep.queue.undecided")
                        .tag("queue", "mail")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("georep.running").gauge().value()).isEqualTo(1);
        assertThat(registry.get("georep.store.ready").gauge().value()).isEqualTo(1);
        node.halt();
        assertThat(registry.get("georep.running").gauge().value()).isZero();
    }

    @Test
    void aFrameThatCannotBeReadShowsInItsMeter() {
        try (LocalCluster cluster = LocalCluster.start(1)) {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new GeoRepMetrics(cluster.node(1)).bindTo(registry);
            try (UnreadablePeer peer = new UnreadablePeer(cluster)) {
                assertThat(peer).isNotNull();
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> registry.get("georep.frames.refused")
                                        .functionCounter()
                                        .count()
                                == 1);
            }
        }
    }
}
