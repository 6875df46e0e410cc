package io.georep.connectors.mqtt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.SourceConnector;

/** Takes messages from an MQTT 5 broker; the broker keeps each until it is safe elsewhere. */
public final class MqttSourceConnector extends SourceConnector {
    private Map<String, String> settings = Map.of();

    /** Called by Kafka Connect. */
    public MqttSourceConnector() {}

    @Override
    public void start(Map<String, String> properties) {
        settings = Map.copyOf(properties);
    }

    @Override
    public Class<? extends Task> taskClass() {
        return MqttSourceTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int tasksMax) {
        List<Map<String, String>> configs = new ArrayList<>();
        for (int task = 0; task < tasksMax; task++) {
            Map<String, String> config = new HashMap<>(settings);
            config.put(MqttSourceTask.TASK, Integer.toString(task));
            config.put(MqttSourceTask.SHARED, Boolean.toString(tasksMax > 1));
            configs.add(config);
        }
        return configs;
    }

    @Override
    public void stop() {
        settings = Map.of();
    }

    @Override
    public ConfigDef config() {
        return MqttSourceTask.CONFIG;
    }

    @Override
    public String version() {
        return new MqttSinkConnector().version();
    }
}
