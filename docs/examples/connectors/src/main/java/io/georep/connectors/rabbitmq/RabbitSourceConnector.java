package io.georep.connectors.rabbitmq;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.SourceConnector;

/** Takes messages from a queue of RabbitMQ, which keeps each until it is safe elsewhere. */
public final class RabbitSourceConnector extends SourceConnector {
    private Map<String, String> settings = Map.of();

    /** Called by Kafka Connect. */
    public RabbitSourceConnector() {}

    @Override
    public void start(Map<String, String> properties) {
        settings = Map.copyOf(properties);
    }

    @Override
    public Class<? extends Task> taskClass() {
        return RabbitSourceTask.class;
    }

    /** The broker deals the messages out to the tasks. */
    @Override
    public List<Map<String, String>> taskConfigs(int tasksMax) {
        return Collections.nCopies(tasksMax, settings);
    }

    @Override
    public void stop() {
        settings = Map.of();
    }

    @Override
    public ConfigDef config() {
        return RabbitSourceTask.CONFIG;
    }

    @Override
    public String version() {
        return new RabbitSinkConnector().version();
    }
}
