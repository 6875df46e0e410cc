package io.georep.spring.connect;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** A source of numbered texts, which goes on from its stored offset. */
public final class ListSource extends SourceConnector {
    private static final Map<String, World> WORLDS = new ConcurrentHashMap<>();

    private Map<String, String> settings = Map.of();

    /** What a connector of this name reads, and what it was told. */
    public static final class World {
        /** The texts; the offset of a text is its index plus one. */
        public final List<String> texts = new CopyOnWriteArrayList<>();

        /** How many records {@code poll} has returned. */
        public final AtomicInteger polled = new AtomicInteger();

        /** What was committed. */
        public final List<String> committed = new CopyOnWriteArrayList<>();

        /** What was committed without an entry. */
        public final List<String> leftOut = new CopyOnWriteArrayList<>();

        /** From where tasks started, in their order. */
        public final BlockingQueue<Long> starts = new LinkedBlockingQueue<>();

        /** How often {@code poll} has to fail for now. */
        public final AtomicInteger failures = new AtomicInteger();

        /** Whether {@code poll} waits for a text, or for the end, when it has none. */
        public volatile boolean waits;

        /** What {@code start} of a task does first. */
        public volatile Runnable start = () -> {};

        /** What {@code poll} does first. */
        public volatile Runnable poll = () -> {};

        /** What {@code stop} of a task does last. */
        public volatile Runnable stop = () -> {};

        /** What {@code commitRecord} does last. */
        public volatile Runnable commit = () -> {};

        /** Outbox of the texts. */
        public volatile String topic = "texts";

        /** Outbox of a text. */
        public volatile UnaryOperator<String> topicOf = text -> topic;
    }

    /** The world of a connector, new for each test. */
    public static World world(String connector) {
        World world = new World();
        WORLDS.put(connector, world);
        return world;
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public void start(Map<String, String> given) {
        settings = given;
    }

    @Override
    public Class<? extends Task> taskClass() {
        return ListTask.class;
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

    /** The task. */
    public static final class ListTask extends SourceTask {
        private static final Map<String, String> PARTITION = Map.of("list", "texts");

        private World world = new World();
        private long next;
        private volatile boolean stopped;

        @Override
        public String version() {
            return "1";
        }

        @Override
        public void start(Map<String, String> settings) {
            world = WORLDS.getOrDefault(settings.get("name"), new World());
            world.start.run();
            Map<String, Object> offset = context.offsetStorageReader().offset(PARTITION);
            next = offset == null ? 0 : (Long) offset.get("index");
            world.starts.add(next);
        }

        @Override
        public List<SourceRecord> poll() throws InterruptedException {
            world.poll.run();
            if (world.failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new RetriableException("the other side is away");
            }
            while (world.waits && next >= world.texts.size() && !stopped) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            List<SourceRecord> records = new ArrayList<>();
            while (next < world.texts.size() && records.size() < 10) {
                String text = world.texts.get((int) next++);
                SourceRecord record = new SourceRecord(
                        PARTITION, Map.of("index", next), world.topicOf.apply(text), null, "key-" + text, null, text);
                record.headers().addString("origin", "list");
                records.add(record);
            }
            if (records.isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(5);
                return null;
            }
            world.polled.addAndGet(records.size());
            return records;
        }

        @Override
        public void commitRecord(SourceRecord record, RecordMetadata metadata) {
            world.committed.add(String.valueOf(record.value()));
            if (metadata == null) {
                world.leftOut.add(String.valueOf(record.value()));
            }
            world.commit.run();
        }

        @Override
        public void stop() {
            stopped = true;
            world.stop.run();
        }
    }
}
