package io.georep.spring.connect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.connect.connector.Task;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks of a source. */
final class SourceGroup implements TaskGroup {
    private static final Logger LOG = LoggerFactory.getLogger(SourceGroup.class);

    private final HostParts host;
    private final ConnectorSettings settings;
    private final Plugins plugins;
    private final Class<?> connector;
    private final Class<? extends Task> taskClass;
    private final LongAdder failures;
    private final SourceOffsets offsets;
    private volatile List<SourceTaskRunner> tasks = List.of();

    SourceGroup(
            HostParts host,
            ConnectorSettings settings,
            Plugins plugins,
            Class<?> connector,
            Class<? extends Task> taskClass,
            LongAdder failures,
            SourceOffsets offsets) {
        this.host = host;
        this.settings = settings;
        this.plugins = plugins;
        this.connector = connector;
        this.taskClass = taskClass;
        this.failures = failures;
        this.offsets = offsets;
    }

    @Override
    public void start(List<Map<String, String>> taskSettings, boolean paused) {
        List<SourceTaskRunner> runners = new ArrayList<>();
        for (int task = 0; task < taskSettings.size(); task++) {
            runners.add(new SourceTaskRunner(
                    host,
                    settings,
                    taskSettings.get(task),
                    new TaskParts(settings, plugins, connector, taskClass, task, failures),
                    offsets,
                    new BadRecords(settings, task),
                    paused));
        }
        tasks = List.copyOf(runners);
        runners.forEach(TaskRunner::begin);
    }

    @Override
    public void stop() {
        tasks.forEach(TaskRunner::stop);
        long half = host.stopTimeout().toNanos() / 2;
        long begun = System.nanoTime();
        for (SourceTaskRunner task : tasks) {
            if (!task.awaitEnd((half - (System.nanoTime() - begun)) / 1_000_000)) {
                task.stopTask();
            }
        }
        for (SourceTaskRunner task : tasks) {
            if (!task.awaitEnd((2 * half - (System.nanoTime() - begun)) / 1_000_000)) {
                task.abandon();
                LOG.warn("Source task {} does not stop; what it still sends may be sent again", task.name());
            }
        }
        tasks = List.of();
    }

    @Override
    public List<SourceTaskRunner> tasks() {
        return tasks;
    }
}
