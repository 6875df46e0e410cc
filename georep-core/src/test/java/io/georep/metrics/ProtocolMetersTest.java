package io.georep.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.NodeStatistics;
import io.georep.model.ProtocolStatistics;
import io.georep.model.StoreState;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProtocolMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static NodeStatistics reading(ProtocolStatistics protocol) {
        return new NodeStatistics(StoreState.READY, 0, 0, 0, 0, 0, 0, 0, Map.of("p", protocol));
    }

    /** Else the last figure of a protocol whose callbacks are stuck would pass for the present one. */
    @Test
    void aGaugeThatTheLastReadingLacksIsNoNumber() {
        NodeStatistics full = reading(to -> {
            to.gauge("held", "entries", "", 7, Map.of());
            to.counter("done", "entries", "", 5, Map.of());
        });
        ProtocolMeters meters = new ProtocolMeters(() -> full, Tags.empty());
        meters.bindTo(registry);

        meters.known(full);
        assertThat(registry.get("georep.held").gauge().value()).isEqualTo(7);
        meters.known(reading(ProtocolStatistics.NONE));
        assertThat(registry.get("georep.held").gauge().value()).isNaN();
        assertThat(registry.get("georep.done").functionCounter().count())
                .as("a counter never falls")
                .isEqualTo(5);
        meters.known(full);
        assertThat(registry.get("georep.held").gauge().value()).isEqualTo(7);
    }
}
