package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.flagons.FleetStatistics;
import io.georep.model.ProtocolStatistics;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Up while this node answers for the keys of its group, or, as a client, may reach somebody to ask; otherwise out of service. */
final class FleetHealthIndicator extends AbstractHealthIndicator {
    private final GeoRepNode node;

    FleetHealthIndicator(GeoRepNode node) {
        super("The fleet maps do not answer");
        this.node = node;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        for (ProtocolStatistics each : node.statistics().protocols().values()) {
            if (each instanceof FleetStatistics statistics) {
                tell(EndpointReport.FleetReport.of(statistics), builder);
                return;
            }
        }
        builder.outOfService()
                .withDetail("reason", "answers do not get through: a callback of a fleet map may be stuck");
    }

    private static void tell(EndpointReport.FleetReport report, Health.Builder builder) {
        builder.status(report.reason() == null ? "UP" : "OUT_OF_SERVICE")
                .withDetails(report.statistics().summary());
        if (report.reason() != null) {
            builder.withDetail("reason", report.reason());
        }
    }
}
