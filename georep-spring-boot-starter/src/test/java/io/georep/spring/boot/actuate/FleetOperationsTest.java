package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.flagons.FleetStatistics;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What operators see of a fleet. */
@Timeout(120)
class FleetOperationsTest {
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void healthEndpointAndMetersTellOfTheGroup() {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("georep.node-id=n1", "georep.test.enabled=true", "georep.fleet.role=founder")
                .run(context -> {
                    Health health =
                            Objects.requireNonNull(context.getBean("georepFleetHealthIndicator", HealthIndicator.class)
                                    .health());
                    assertThat(health.getStatus()).isEqualTo(Status.UP);
                    assertThat(health.getDetails()).containsEntry("members", 0).doesNotContainKey("reason");

                    EndpointReport.FleetReport report = (EndpointReport.FleetReport)
                            MapsOperationsTest.endpoint(context).part("fleet");
                    assertThat(report.reason()).isNull();
                    assertThat(report.statistics().complete()).isTrue();

                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    Awaitility.await()
                            .atMost(Duration.ofSeconds(30))
                            .untilAsserted(() -> assertThat(registry.get("georep.fleet.complete")
                                            .gauge()
                                            .value())
                                    .isEqualTo(1));
                });
    }

    @Test
    void aNodeThatDoesNotAnswerYetSaysWhy() {
        assertThat(reason(0, false, false, false)).contains("has met no node of its fleet yet");
        assertThat(reason(3, false, false, false))
                .contains("does not have all operations")
                .contains("It knows 3 nodes");
        assertThat(reason(3, true, false, true)).contains("lost sight").contains("It knows 3 nodes");
        assertThat(reason(3, false, true, false)).as("a client").isNull();
        assertThat(reason(0, false, true, false)).contains("this client may ask can be reached");
        assertThat(reason(3, true, false, true, true))
                .contains("the clock of this node differs")
                .contains("set right");
    }

    private static @Nullable String reason(int known, boolean complete, boolean client, boolean cutOff) {
        return reason(known, complete, client, cutOff, false);
    }

    private static @Nullable String reason(
            int known, boolean complete, boolean client, boolean cutOff, boolean clockOff) {
        return EndpointReport.FleetReport.of(
                        new FleetStatistics("01", 0, known, complete, client, 0, 0, 0, 0, 8, cutOff, clockOff, 0, 0))
                .reason();
    }

    @Test
    void aNodeWithoutAFleetSaysWhatToSet() {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("georep.node-id=n1", "georep.test.enabled=true")
                .run(context -> assertThatThrownBy(
                                () -> MapsOperationsTest.endpoint(context).part("fleet"))
                        .hasMessageContaining("georep.fleet.seeds"));
    }
}
