package io.georep.spring.boot.actuate;

import io.georep.spring.Connectors;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Down while a connector or a task of one has failed or does not get on. The node itself is well then. */
final class ConnectorHealthIndicator extends AbstractHealthIndicator {
    private final Connectors connectors;

    ConnectorHealthIndicator(Connectors connectors) {
        super("The connectors do not answer");
        this.connectors = connectors;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        boolean troubled = false;
        for (Connectors.Status connector : connectors.all()) {
            troubled |= connector.troubled();
            Map<String, Object> detail = new LinkedHashMap<>();
            detail.put("state", connector.state());
            if (connector.problem() != null) {
                detail.put("problem", connector.problem());
            }
            for (Connectors.Task task : connector.tasks()) {
                if (task.problem() != null) {
                    detail.put("task " + task.id(), task.state() + ": " + task.problem());
                }
            }
            builder.withDetail(connector.name(), detail);
        }
        builder.status(troubled ? "DOWN" : "UP");
    }
}
