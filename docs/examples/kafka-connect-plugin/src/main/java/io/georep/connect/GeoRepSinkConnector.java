package io.georep.connect;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/** Sends the records of topics to queues of GeoRep, whose entries are forwarded elsewhere. */
public final class GeoRepSinkConnector extends SinkConnector {
    private Map<String, String> settings = Map.of();

    /** Called by Kafka Connect. */
    public GeoRepSinkConnector() {}

    @Override
    public void start(Map<String, String> properties) {
        settings = Map.copyOf(properties);
    }

    @Override
    public Class<? extends Task> taskClass() {
        return GeoRepSinkTask.class;
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
        return SinkSettings.CONFIG;
    }

    @Override
    public Config validate(Map<String, String> connectorConfigs) {
        Config found = super.validate(connectorConfigs);
        ConnectorChecks checks = new ConnectorChecks(found, connectorConfigs);
        checks.converters(List.of(ConnectorChecks.BYTES, ConnectorChecks.TEXTS));
        checks.protection();
        checks.require(
                !connectorConfigs.containsKey("topics.regex"),
                "topics.regex",
                "is not supported, because each task opens all its queues at the start: name the topics in topics");
        String nodes = connectorConfigs.getOrDefault(SinkSettings.FORWARD_NODES, "");
        checks.require(
                isPattern(nodes), SinkSettings.FORWARD_NODES, "is '" + nodes + "', which is no regular expression");
        return found;
    }

    private static boolean isPattern(String text) {
        try {
            return Pattern.compile(text) != null;
        } catch (PatternSyntaxException e) {
            return false;
        }
    }

    @Override
    public String version() {
        return Versions.own();
    }
}
