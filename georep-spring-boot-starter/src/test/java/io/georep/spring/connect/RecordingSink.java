package io.georep.spring.connect;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.ConnectorContext;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** A sink that remembers what it got, and does what a test wants. */
public final class RecordingSink extends SinkConnector {
    private static final Map<String, Diary> DIARIES = new ConcurrentHashMap<>();

    private Map<String, String> settings = Map.of();

    /** What a connector of this name did. */
    public static final class Diary {
        /** All records, in the order of the calls. */
        public final List<SinkRecord> records = new CopyOnWriteArrayList<>();

        /** Starts, closes and the like. */
        public final List<String> events = new CopyOnWriteArrayList<>();

        /** How many tasks it wants; 0: as many as it may have; -1: none. */
        public volatile int tasks;

        /** What it does when it is asked for the settings of its tasks. */
        public volatile Consumer<ConnectorContext> taskConfigs = host -> {};

        /** The settings of its start. */
        public final Map<String, String> settings = new ConcurrentHashMap<>();

        /** Whether it refuses its settings. */
        public volatile boolean refuses;

        /** Its context. */
        public volatile ConnectorContext context;

        /** What the start of the connector does first. */
        public volatile Runnable start = () -> {};

        /** What the stop of the connector does. */
        public volatile Runnable stop = () -> {};

        /** What a task does last when it starts or stops; it is told which. */
        public volatile Consumer<String> task = event -> {};

        /** What a task does first when its partitions are closed. */
        public volatile Runnable close = () -> {};

        /** What put does before it takes the records. */
        public volatile Put put = (task, records) -> {};

        /** What preCommit returns. */
        public volatile PreCommit preCommit = (task, current) -> current;

        /** The values of the records as texts. */
        public List<String> values() {
            synchronized (records) {
                return records.stream()
                        .map(record -> String.valueOf(record.value()))
                        .toList();
            }
        }
    }

    /** May throw. */
    @FunctionalInterface
    public interface Put {
        void before(RecordingTask task, Collection<SinkRecord> records);
    }

    /** Says what is flushed. */
    @FunctionalInterface
    public interface PreCommit {
        Map<TopicPartition, OffsetAndMetadata> flushed(
                RecordingTask task, Map<TopicPartition, OffsetAndMetadata> current);
    }

    /** The diary of a connector, new for each test. */
    public static Diary diary(String connector) {
        Diary diary = new Diary();
        DIARIES.put(connector, diary);
        return diary;
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public void start(Map<String, String> given) {
        settings = given;
        diary().start.run();
        diary().context = context();
        diary().settings.putAll(given);
    }

    private Diary diary() {
        return DIARIES.getOrDefault(settings.getOrDefault("name", ""), new Diary());
    }

    @Override
    public org.apache.kafka.common.config.Config validate(Map<String, String> given) {
        org.apache.kafka.common.config.Config config = super.validate(given);
        if (DIARIES.getOrDefault(given.get("name"), new Diary()).refuses) {
            config.configValues().get(0).addErrorMessage("the other side does not answer");
        }
        return config;
    }

    @Override
    public Class<? extends Task> taskClass() {
        return RecordingTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int max) {
        diary().taskConfigs.accept(context());
        List<Map<String, String>> tasks = new ArrayList<>();
        int wanted = diary().tasks;
        for (int i = 0; i < (wanted == 0 ? max : wanted); i++) {
            tasks.add(new HashMap<>(settings));
        }
        return tasks;
    }

    @Override
    public void stop() {
        diary().stop.run();
    }

    @Override
    public ConfigDef config() {
        return new ConfigDef()
                .define("flush.size", ConfigDef.Type.INT, 1, ConfigDef.Range.atLeast(1), ConfigDef.Importance.LOW, "");
    }

    /** The task. */
    public static final class RecordingTask extends SinkTask {
        private Diary diary = new Diary();

        @Override
        public String version() {
            return "1";
        }

        @Override
        public void start(Map<String, String> settings) {
            diary = DIARIES.getOrDefault(settings.get("name"), new Diary());
            diary.events.add("start");
            diary.task.accept("start");
        }

        /** For what a test makes the task ask for. */
        public org.apache.kafka.connect.sink.SinkTaskContext host() {
            return context;
        }

        @Override
        public void put(Collection<SinkRecord> records) {
            diary.put.before(this, records);
            diary.records.addAll(records);
        }

        @Override
        public Map<TopicPartition, OffsetAndMetadata> preCommit(Map<TopicPartition, OffsetAndMetadata> current) {
            return diary.preCommit.flushed(this, current);
        }

        @Override
        public void close(Collection<TopicPartition> partitions) {
            diary.close.run();
            diary.events.add("close");
        }

        @Override
        public void stop() {
            diary.events.add("stop");
            diary.task.accept("stop");
        }
    }
}
