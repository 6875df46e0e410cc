package io.georep.connect;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.SourceConnector;

/** Forwards the entries of GeoRep's queues to topics. */
public final class GeoRepSourceConnector extends SourceConnector {
    private Map<String, String> settings = Map.of();

    /** Called by Kafka Connect. */
    public GeoRepSourceConnector() {}

    @Override
    public void start(Map<String, String> properties) {
        settings = Map.copyOf(properties);
    }

    @Override
    public Class<? extends Task> taskClass() {
        return GeoRepSourceTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int tasksMax) {
        return ConnectorChecks.tasks(settings, tasksMax);
    }

    @Override
    public void stop() {
        settings = Map.of();
    }

    @Override
    public ConfigDef config() {
        return GeoRepSourceTask.CONFIG;
    }

    @Override
    public Config validate(Map<String, String> connectorConfigs) {
        Config found = super.validate(connectorConfigs);
        ConnectorChecks checks = new ConnectorChecks(found, connectorConfigs);
        checks.converters(List.of(ConnectorChecks.BYTES));
        checks.protection();
        checks.require(
                !"all".equals(connectorConfigs.get("errors.tolerance")),
                "errors.tolerance",
                "is all: Kafka Connect would report a record that the broker refused as if it were there, and its entry would"
                        + " be lost. Leave it at none");
        String acks = connectorConfigs.getOrDefault("producer.override.acks", "all");
        checks.require(
                acks.equals("all") || acks.equals("-1"),
                "producer.override.acks",
                "is " + acks + ": an entry is deleted when the broker has acknowledged its record. Leave it at all");
        return found;
    }

    @Override
    public String version() {
        return Versions.own();
    }
}
