package io.georep.examples.host.measure;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** A sink that does nothing but count, and stands still while it is told to. */
public final class NoopSink extends SinkConnector {
    static final AtomicLong COUNT = new AtomicLong();
    static volatile boolean stalled;

    /** Called by the host. */
    public NoopSink() {}

    /** Its task. */
    public static final class NoopTask extends SinkTask {
        /** Called by the host. */
        public NoopTask() {}

        @Override
        public void start(Map<String, String> properties) {}

        @Override
        public void put(Collection<SinkRecord> records) {
            while (stalled) {
                LockSupport.parkNanos(10_000_000);
            }
            COUNT.addAndGet(records.size());
        }

        @Override
        public void stop() {}

        @Override
        public String version() {
            return "1";
        }
    }

    @Override
    public void start(Map<String, String> properties) {}

    @Override
    public Class<? extends Task> taskClass() {
        return NoopTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int tasksMax) {
        return Collections.nCopies(tasksMax, Map.of());
    }

    @Override
    public void stop() {}

    @Override
    public ConfigDef config() {
        return new ConfigDef();
    }

    @Override
    public String version() {
        return "1";
    }
}
