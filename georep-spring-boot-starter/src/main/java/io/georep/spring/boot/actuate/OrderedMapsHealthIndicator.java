package io.georep.spring.boot.actuate;

import io.georep.geopaxos.OrderedMaps;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Up while each group of the ordered maps has a leader in reach and this node keeps up; otherwise out of service. */
final class OrderedMapsHealthIndicator extends AbstractHealthIndicator {
    private final OrderedMaps maps;

    OrderedMapsHealthIndicator(OrderedMaps maps) {
        super("The ordered maps do not answer");
        this.maps = maps;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        EndpointReport.OrderedMapsReport report = EndpointReport.OrderedMapsReport.of(maps);
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
