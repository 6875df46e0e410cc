package io.georep.connectors;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/** A sink connector all of whose tasks do the same. */
public abstract class SendingConnector extends SinkConnector {
    private final Class<? extends Task> task;
    private final ConfigDef config;
    private Map<String, String> settings = Map.of();

    /** Creates it with the class of its tasks and what can be set. */
    protected SendingConnector(Class<? extends Task> task, ConfigDef config) {
        this.task = task;
        this.config = config;
    }

    @Override
    public final void start(Map<String, String> properties) {
        settings = Map.copyOf(properties);
    }

    @Override
    public final Class<? extends Task> taskClass() {
        return task;
    }

    @Override
    public final List<Map<String, String>> taskConfigs(int tasksMax) {
        return Collections.nCopies(tasksMax, settings);
    }

    @Override
    public final void stop() {
        settings = Map.of();
    }

    @Override
    public final ConfigDef config() {
        return config;
    }

    @Override
    public final String version() {
        return Versions.own();
    }
}
