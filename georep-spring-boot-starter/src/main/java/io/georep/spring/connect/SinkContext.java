package io.georep.spring.connect;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkTaskContext;

/** What a sink task asks of the host. Connectors also ask from threads of their own. */
final class SinkContext implements SinkTaskContext {
    private final Map<String, String> settings;
    private final Set<TopicPartition> assigned;
    private final ErrantRecordReporter reporter;
    private final PluginMetrics metrics;
    private final Set<TopicPartition> paused = ConcurrentHashMap.newKeySet();
    private final Map<TopicPartition, Long> seeks = new ConcurrentHashMap<>();
    private final Runnable wakeUp;
    private final Thread task = Thread.currentThread();
    private volatile long timeoutMillis = -1;
    private volatile boolean commitRequested;

    SinkContext(
            Map<String, String> settings,
            Set<TopicPartition> assigned,
            ErrantRecordReporter reporter,
            PluginMetrics metrics,
            Runnable wakeUp) {
        this.settings = Map.copyOf(settings);
        this.assigned = Set.copyOf(assigned);
        this.reporter = reporter;
        this.metrics = metrics;
        this.wakeUp = wakeUp;
    }

    @Override
    public Map<String, String> configs() {
        return settings;
    }

    @Override
    public void offset(Map<TopicPartition, Long> offsets) {
        seeks.putAll(offsets);
    }

    @Override
    public void offset(TopicPartition partition, long offset) {
        seeks.put(partition, offset);
    }

    @Override
    public void timeout(long millis) {
        timeoutMillis = millis;
    }

    @Override
    public Set<TopicPartition> assignment() {
        return new HashSet<>(assigned);
    }

    @Override
    public void pause(TopicPartition... partitions) {
        mustBeAssigned(partitions);
        paused.addAll(List.of(partitions));
    }

    @Override
    public void resume(TopicPartition... partitions) {
        mustBeAssigned(partitions);
        List.of(partitions).forEach(paused::remove);
        wakeUp();
    }

    private void mustBeAssigned(TopicPartition... partitions) {
        for (TopicPartition partition : partitions) {
            if (!assigned.contains(partition)) {
                throw new ConnectException("partition " + partition + " is not of this task, which has " + assigned);
            }
        }
    }

    @Override
    public void requestCommit() {
        commitRequested = true;
        wakeUp();
    }

    /** Wakes the thread of the task, unless that is the caller: it looks before it waits again. */
    private void wakeUp() {
        if (Thread.currentThread() != task) {
            wakeUp.run();
        }
    }

    @Override
    public ErrantRecordReporter errantRecordReporter() {
        return reporter;
    }

    @Override
    public PluginMetrics pluginMetrics() {
        return metrics;
    }

    boolean isPaused(TopicPartition partition) {
        return paused.contains(partition);
    }

    boolean commitRequested() {
        return commitRequested;
    }

    void commitBegins() {
        commitRequested = false;
    }

    /** Returns what {@link #timeout} was given since the last time; -1 for nothing. */
    long takeTimeout() {
        long taken = timeoutMillis;
        timeoutMillis = -1;
        return taken;
    }

    /** Returns what {@link #offset} was given since the last time. */
    Map<TopicPartition, Long> takeSeeks() {
        Map<TopicPartition, Long> taken = new HashMap<>();
        for (TopicPartition partition : Set.copyOf(seeks.keySet())) {
            Long offset = seeks.remove(partition);
            if (offset != null) {
                taken.put(partition, offset);
            }
        }
        return taken;
    }
}
