package io.georep.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.PeerStatus;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PeerMetersTest {
    private static final String RTT = "georep.peer.rtt";

    @Test
    void followsPeersInEveryRegistry() {
        AtomicReference<@Nullable List<PeerStatus>> peers =
                new AtomicReference<>(List.of(peer("n2", Duration.ofMillis(20)), peer("n3", null)));
        PeerMeters meters = new PeerMeters(peers::get, Tags.empty());
        MeterRegistry early = new SimpleMeterRegistry();
        MeterRegistry late = new SimpleMeterRegistry();
        meters.bindTo(early);
        meters.known(List.of(peer("n2", null)));
        meters.bindTo(late);
        assertThat(List.of(names(early), names(late))).allMatch(names -> names.equals(Set.of("n2")));

        meters.known(List.of(peer("n2", null), peer("n3", null)));

        for (MeterRegistry registry : List.of(early, late)) {
            assertThat(names(registry)).containsExactlyInAnyOrder("n2", "n3");
            assertThat(gauge(registry, RTT, "n2").value()).isEqualTo(0.02);
            assertThat(gauge(registry, "georep.peer.rtt.min", "n2").value()).isEqualTo(0.01);
            assertThat(gauge(registry, "georep.peer.clock.ahead", "n2").value()).isEqualTo(-75);
            assertThat(gauge(registry, RTT, "n3").value()).isNaN();
        }
        peers.set(null);
        assertThat(gauge(early, RTT, "n2").value())
                .as("the node does not answer")
                .isNaN();

        meters.known(List.of(peer("n3", null)));

        assertThat(List.of(names(early), names(late))).allMatch(names -> names.equals(Set.of("n3")));
    }

    private static PeerStatus peer(String id, @Nullable Duration rtt) {
        return new PeerStatus(
                NodeId.of(id),
                "site",
                PeerState.ACTIVE,
                Duration.ZERO,
                1,
                rtt == null ? null : rtt.dividedBy(2),
                rtt,
                true,
                true,
                false,
                false,
                rtt == null ? null : Duration.ofSeconds(-75),
                rtt != null);
    }

    private static Gauge gauge(MeterRegistry registry, String name, String peer) {
        return registry.get(name).tag("peer", peer).gauge();
    }

    private static Set<String> names(MeterRegistry registry) {
        return registry.find(RTT).gauges().stream()
                .map(gauge -> gauge.getId().getTag("peer"))
                .collect(Collectors.toSet());
    }
}
