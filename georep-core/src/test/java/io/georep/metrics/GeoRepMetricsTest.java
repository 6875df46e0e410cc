package io.georep.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.Durability;
import io.georep.model.PeerState;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spi.UnreadablePeer;
import io.georep.testing.LocalCluster;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class GeoRepMetricsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

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

        await().atMost(LONG).until(() -> registry.find("georep.backlog").gauge() != null);
        assertThat(sends(registry, "acknowledged")).isEqualTo(3);
        assertThat(ofMail(registry, "georep.backlog").value()).isEqualTo(3);
        assertThat(ofMail(registry, "georep.undecided").value()).isEqualTo(1);
        assertThat(registry.get("georep.running").gauge().value()).isEqualTo(1);
        assertThat(registry.get("georep.store.ready").gauge().value()).isEqualTo(1);
        for (PeerState state : PeerState.values()) {
            assertThat(registry.get("georep.peers").gauges())
                    .allSatisfy(gauge -> assertThat(gauge.getId().getDescription())
                            .contains(state.name().toLowerCase(Locale.ROOT)));
        }
        node.halt();
        assertThat(registry.get("georep.running").gauge().value()).isZero();
        await().atMost(LONG)
                .until(() -> Double.isNaN(ofMail(registry, "georep.backlog").value()));
        assertThat(registry.get("georep.store.ready").gauge().value()).isNaN();
        assertThat(sends(registry, "acknowledged")).as("a counter never falls").isEqualTo(3);
    }

    private static double sends(SimpleMeterRegistry registry, String outcome) {
        return registry.get("georep.sends")
                .tags("queue", "mail", "outcome", outcome, "node", "solo")
                .functionCounter()
                .count();
    }

    private static Gauge ofMail(SimpleMeterRegistry registry, String name) {
        return registry.get(name).tag("queue", "mail").gauge();
    }

    @Test
    void aRegistryThatComesLaterShowsWhatAnEarlierOneShows() {
        try (LocalCluster cluster = LocalCluster.start(1)) {
            cluster.node(1).outbox("mail", String.class);
            SimpleMeterRegistry early = new SimpleMeterRegistry();
            SimpleMeterRegistry late = new SimpleMeterRegistry();
            GeoRepMetrics metrics = new GeoRepMetrics(cluster.node(1));
            metrics.bindTo(early);
            await().atMost(LONG).until(() -> early.find("georep.backlog").gauge() != null);

            metrics.bindTo(late);

            assertThat(names(late)).containsExactlyInAnyOrderElementsOf(names(early));
            cluster.node(1).outbox("later", String.class);
            metrics.discover();
            await().atMost(LONG)
                    .until(() ->
                            late.find("georep.backlog").tag("queue", "later").gauge() != null);
        }
    }

    @Test
    void everyMeterSaysWhatItMeansAndInWhichUnit() {
        try (LocalCluster cluster = LocalCluster.start(2, builder -> builder.keySpaces(KeySpaceSettings.defaults()))) {
            cluster.node(1).outbox("mail", String.class);
            cluster.awaitReady(1);
            SimpleMeterRegistry registry = new SimpleMeterRegistry();

            new GeoRepMetrics(cluster.node(1)).bindTo(registry);

            await().atMost(LONG)
                    .until(() -> Stream.of("georep.backlog", "georep.keys.taken", "georep.peer.rtt.min")
                            .allMatch(name -> registry.find(name).meter() != null));
            assertThat(registry.getMeters()).hasSizeGreaterThan(40).allSatisfy(meter -> {
                assertThat(meter.getId().getDescription())
                        .as("description of %s", meter.getId())
                        .isNotBlank();
                assertThat(meter.getId().getBaseUnit())
                        .as("unit of %s", meter.getId())
                        .isNotBlank();
            });
        }
    }

    private static List<String> names(SimpleMeterRegistry registry) {
        return registry.getMeters().stream()
                .map(meter -> meter.getId().getName())
                .sorted()
                .toList();
    }

    @Test
    void aFrameThatCannotBeReadShowsInItsMeter() {
        try (LocalCluster cluster = LocalCluster.start(1)) {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new GeoRepMetrics(cluster.node(1)).bindTo(registry);
            try (UnreadablePeer peer = new UnreadablePeer(cluster)) {
                assertThat(peer).isNotNull();
                await().atMost(LONG)
                        .until(() -> registry.get("georep.frames.refused")
                                        .functionCounter()
                                        .count()
                                == 1);
            }
        }
    }
}
