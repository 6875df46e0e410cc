package io.georep.comparison;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** A source that writes down what it is told, and gives what its script says. */
public final class ScriptedSource extends SourceConnector {
    /** What its offsets are about. */
    static final Map<String, String> PARTITION = Map.of("file", "a");

    private Map<String, String> settings = Map.of();

    /** Called by the hosts. */
    public ScriptedSource() {}

    @Override
    public void start(Map<String, String> given) {
        settings = given;
    }

    @Override
    public Class<? extends Task> taskClass() {
        return ScriptedTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int max) {
        return List.of(new HashMap<>(settings));
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

    /** The task. */
    public static final class ScriptedTask extends SourceTask {
        private Journal journal = Journal.of(Map.of());
        private Map<String, Object> offset;

        /** Called by the hosts. */
        public ScriptedTask() {}

        @Override
        public void start(Map<String, String> settings) {
            journal = Journal.of(settings);
            offset = context.offsetStorageReader().offset(PARTITION);
            journal.tell("start");
            journal.tell("offset " + show(offset));
        }

        private static String show(Map<String, Object> of) {
            if (of == null) {
                return "none";
            }
            Map<String, String> sorted = new TreeMap<>();
            of.forEach((key, value) -> sorted.put(
                    key,
                    value == null
                            ? "null"
                            : (value instanceof byte[] bytes ? bytes.length : value) + " "
                                    + value.getClass().getSimpleName()));
            return sorted.toString();
        }

        @Override
        public List<SourceRecord> poll() throws InterruptedException {
            List<SourceRecord> records = journal.script().poll(journal, offset);
            if (records.isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(5); // as sources wait for something to come
                return null;
            }
            for (SourceRecord each : records) {
                journal.tell("gave " + each.value());
                @SuppressWarnings("unchecked")
                Map<String, Object> next = (Map<String, Object>) each.sourceOffset();
                offset = next;
            }
            return records;
        }

        @Override
        public void commitRecord(SourceRecord record, RecordMetadata metadata) {
            journal.tell("committed " + record.value() + (metadata == null ? " without entry" : ""));
        }

        @Override
        public void stop() {
            journal.tell("stop");
        }

        @Override
        public String version() {
            return "1";
        }
    }
}
