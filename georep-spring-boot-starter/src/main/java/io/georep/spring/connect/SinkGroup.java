package io.georep.spring.connect;

import io.georep.outbox.Forwarding;
import io.georep.outbox.Retry;
import io.georep.spring.DeadLetterException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.connect.connector.Task;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks of a sink. They share what the outboxes hand over. */
final class SinkGroup implements TaskGroup {
    private static final Logger LOG = LoggerFactory.getLogger(SinkGroup.class);
    private static final Duration OFFSETS_WITHIN = Duration.ofSeconds(30);

    private final HostParts host;
    private final ConnectorSettings settings;
    private final Plugins plugins;
    private final Class<?> connector;
    private final Class<? extends Task> taskClass;
    private final LongAdder failures;
    private final SinkIntake intake;
    private final List<Forwarding> forwardings = new ArrayList<>();
    private volatile List<SinkTaskRunner> tasks = List.of();
    private @Nullable OffsetNumbers numbers;

    SinkGroup(
            HostParts host,
            ConnectorSettings settings,
            Plugins plugins,
            Class<?> connector,
            Class<? extends Task> taskClass,
            LongAdder failures) {
        this.host = host;
        this.settings = settings;
        this.plugins = plugins;
        this.connector = connector;
        this.taskClass = taskClass;
        this.failures = failures;
        this.intake = new SinkIntake(settings.topics(), settings.window(), settings.bytesMax());
    }

    @Override
    public void start(List<Map<String, String>> taskSettings, boolean paused) {
        OffsetNumbers open = numbers;
        if (open == null) {
            open = OffsetNumbers.open(host.local(), settings.name(), System::currentTimeMillis, OFFSETS_WITHIN);
            numbers = open;
        }
        List<SinkTaskRunner> runners = new ArrayList<>();
        for (int task = 0; task < taskSettings.size(); task++) {
            int partition = Partitions.of(host.node().identity().id(), task);
            runners.add(new SinkTaskRunner(
                    partition,
                    settings,
                    taskSettings.get(task),
                    new TaskParts(settings, plugins, connector, taskClass, task, failures),
                    intake,
                    open,
                    new SetAside(settings, task, partition, host::outbox, intake),
                    paused));
        }
        tasks = List.copyOf(runners);
        if (runners.isEmpty()) {
            return; // nobody would forward what the outboxes hand over
        }
        intake.open();
        for (String topic : settings.topics()) {
            forwardings.add(host.outbox(topic)
                    .forward(
                            entries -> intake.add(topic, entries),
                            options -> options.window(settings.window())
                                    .windowBytes(settings.bytesMax())
                                    .batchMax(Math.min(settings.window(), 500))
                                    .retry(Retry.defaults().neverOn(DeadLetterException.class))));
        }
        runners.forEach(TaskRunner::begin);
    }

    @Override
    public void stop() {
        forwardings.forEach(forwarding -> forwarding.stop(Duration.ZERO));
        forwardings.clear();
        tasks.forEach(TaskRunner::stop);
        // First, so that no task takes more, which nobody would give back.
        intake.close().forEach(SinkEntry::giveBack);
        long deadline = System.nanoTime() + host.stopTimeout().toNanos();
        for (SinkTaskRunner task : tasks) {
            if (!task.awaitEnd((deadline - System.nanoTime()) / 1_000_000)) {
                LOG.warn("{} does not stop; what it forwards from now on may be forwarded again", task);
            }
            task.giveBack();
        }
        tasks = List.of();
    }

    @Override
    public List<SinkTaskRunner> tasks() {
        return tasks;
    }
}
