package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.funnel.MapsStatistics;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.View;
import io.georep.model.ProtocolStatistics;
import java.time.Duration;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Up while the node serves the replicated maps; out of service while it cannot. The outboxes go on then. */
final class MapsHealthIndicator extends AbstractHealthIndicator {
    private final GeoRepNode node;
    private final ReplicatedMaps maps;

    MapsHealthIndicator(GeoRepNode node, ReplicatedMaps maps) {
        super("The replicated maps do not answer");
        this.node = node;
        this.maps = maps;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        MapsStatus status = maps.status();
        Duration lease = maps.leaseLeft();
        View view = status.view();
        boolean serves = status.role() == MapsStatus.Role.SERVING && !lease.isZero();
        builder.status(serves ? "UP" : "OUT_OF_SERVICE")
                .withDetail("role", status.role().name())
                .withDetail("leaseLeft", lease.toString());
        if (view != null) {
            builder.withDetail("view", view.number())
                    .withDetail("members", EndpointReport.Maps.names(view))
                    .withDetail("tail", view.tail().value());
        }
        if (!serves) {
            builder.withDetail("reason", EndpointReport.Maps.reason(status.role()));
        }
        for (ProtocolStatistics each : node.statistics().protocols().values()) {
            if (each instanceof MapsStatistics statistics) {
                builder.withDetail("keys", statistics.keys())
                        .withDetail("dirtyKeys", statistics.dirtyKeys())
                        .withDetail("uncommitted", statistics.uncommitted())
                        .withDetail("applied", statistics.applied());
                return;
            }
        }
        builder.outOfService().withDetail("reason", "answers do not get through: a listener of a map may be stuck");
    }
}
