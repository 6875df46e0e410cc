package io.georep.comparison;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** A sink that writes down what it is told, and does what its script says. */
public final class ScriptedSink extends SinkConnector {
    private Map<String, String> settings = Map.of();

    /** Called by the hosts. */
    public ScriptedSink() {}

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
    public static final class ScriptedTask extends SinkTask {
        private Journal journal = Journal.of(Map.of());

        /** Called by the hosts. */
        public ScriptedTask() {}

        @Override
        public void start(Map<String, String> settings) {
            journal = Journal.of(settings);
            journal.tell("start");
            journal.tell("settings "
                    + new TreeSet<>(settings.keySet())
                            .stream()
                                    .filter(each ->
                                            !each.startsWith("georep.") && !each.startsWith("consumer.override."))
                                    .filter(each -> !each.equals("offset.flush.interval.ms"))
                                    .toList());
        }

        @Override
        public void open(Collection<TopicPartition> partitions) {
            journal.tell(
                    "open " + partitions.stream().map(TopicPartition::topic).toList() + ", assigned "
                            + context.assignment().size());
            // Says where offsets begin.
            context.requestCommit();
        }

        @Override
        public void put(Collection<SinkRecord> records) {
            List<SinkRecord> list = new ArrayList<>(records);
            if (list.isEmpty()) {
                journal.script().idle(journal, context);
                return;
            }
            list.forEach(each -> journal.tell("put " + describe(each)));
            context.requestCommit();
            journal.script().put(journal, context, list);
        }

        private String describe(SinkRecord record) {
            StringBuilder text = new StringBuilder();
            text.append(journal.relative(record.kafkaOffset())).append(": ");
            text.append(record.topic()).append(' ').append(record.key());
            text.append('=').append(show(record.value()));
            text.append(
                    record.keySchema() == null ? "" : " " + record.keySchema().type());
            text.append(
                    record.valueSchema() == null
                            ? ""
                            : " " + record.valueSchema().type());
            for (Header header : record.headers()) {
                text.append(' ').append(header.key()).append('=').append(show(header.value()));
                text.append(header.schema() == null ? "" : ":" + header.schema().type());
            }
            return text.append(' ').append(record.timestampType()).toString();
        }

        private static Object show(Object value) {
            return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : value;
        }

        @Override
        public Map<TopicPartition, OffsetAndMetadata> preCommit(Map<TopicPartition, OffsetAndMetadata> current) {
            current.values().forEach(each -> journal.beginAt(each.offset()));
            current.values().forEach(each -> journal.tellPosition(journal.relative(each.offset())));
            return journal.script().preCommit(journal, context, current);
        }

        @Override
        public void close(Collection<TopicPartition> partitions) {
            journal.tell(
                    "close " + partitions.stream().map(TopicPartition::topic).toList());
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
