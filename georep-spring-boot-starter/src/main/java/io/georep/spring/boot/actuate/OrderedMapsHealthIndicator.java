package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.geopaxos.OrderedMapsStatistics;
import io.georep.model.ProtocolStatistics;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Up while each group of the ordered maps has a leader in reach and this node keeps up; otherwise out of service. */
final class OrderedMapsHealthIndicator extends AbstractHealthIndicator {
    private final GeoRepNode node;

    OrderedMapsHealthIndicator(GeoRepNode node) {
        super("The ordered maps do not answer");
        this.node = node;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        for (ProtocolStatistics each : node.statistics().protocols().values()) {
            if (each instanceof OrderedMapsStatistics statistics) {
                tell(EndpointReport.OrderedMapsReport.of(statistics), builder);
                return;
            }
        }
        builder.outOfService()
                .withDetail("reason", "answers do not get through: a callback of an ordered map may be stuck");
    }

    private static void tell(EndpointReport.OrderedMapsReport report, Health.Builder builder) {
        builder.status(report.reason() == null ? "UP" : "OUT_OF_SERVICE")
                .withDetail("unanswered", report.unanswered())
                .withDetail("unexecuted", report.unexecuted())
                .withDetail("keys", report.keys())
                .withDetail("groups", report.groups());
        if (report.reason() != null) {
            builder.withDetail("reason", report.reason());
        }
    }
}
