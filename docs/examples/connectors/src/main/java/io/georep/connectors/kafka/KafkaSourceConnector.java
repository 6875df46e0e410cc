package io.georep.connectors.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.SourceConnector;

/** Takes messages from topics of Kafka as a member of a consumer group. */
public final class KafkaSourceConnector extends SourceConnector {
    private Map<String, String> settings = Map.of();

    /** Called by Kafka Connect. */
    public KafkaSourceConnector() {}

    @Override
    public void start(Map<String, String> properties) {
        settings = Map.copyOf(properties);
    }

    @Override
    public Class<? extends Task> taskClass() {
        return KafkaSourceTask.class;
    }

    /** The brokers deal the partitions out to the tasks, which are members of one group. */
    @Override
    public List<Map<String, String>> taskConfigs(int tasksMax) {
        List<Map<String, String>> configs = new ArrayList<>();
        for (int task = 0; task < tasksMax; task++) {
            configs.add(new HashMap<>(settings));
        }
        return configs;
    }

    @Override
    public void stop() {
        settings = Map.of();
    }

    @Override
    public ConfigDef config() {
        return KafkaSourceTask.CONFIG;
    }

    @Override
    public String version() {
        return new KafkaSinkConnector().version();
    }
}
