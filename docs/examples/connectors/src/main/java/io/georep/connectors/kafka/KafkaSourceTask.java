package io.georep.connectors.kafka;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumes as a member of a group, and commits to the group what is safe. Only the group's offsets say where to go on: the
 * brokers give partitions to other tasks and nodes at any time, and only they can refuse a commit by a task that has lost a
 * partition. The offsets in the records are there for people to read.
 */
public final class KafkaSourceTask extends SourceTask {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaSourceTask.class);
    private static final String PREFIX = "kafka.consumer.";
    private static final String TOPICS = "kafka.topics";
    private static final String GROUP = "kafka.group.id";
    private static final String TOPIC = "topic";
    private static final String HEADERS = "kafka.headers";
    private static final String INTERVAL = "kafka.commit.interval.ms";
    private static final String BYTES = "bytes";
    private static final String OFFSET = "offset";
    private static final String PARTITION = "partition";
    private static final Duration POLL = Duration.ofMillis(500);

    /** Short, because Kafka waits for this before it gives the partition to another task. */
    private static final long REVOKE_MILLIS = 1_000;

    private static final Set<String> OURS = Set.of(
            "group.id", "enable.auto.commit", "auto.commit.interval.ms", "key.deserializer", "value.deserializer");

    static final ConfigDef CONFIG = KafkaClients.with(
            new ConfigDef()
                    .define(
                            TOPICS,
                            ConfigDef.Type.LIST,
                            ConfigDef.NO_DEFAULT_VALUE,
                            KafkaClients.NOT_EMPTY,
                            Importance.HIGH,
                            "Topics to take messages from, with commas.")
                    .define(
                            GROUP,
                            ConfigDef.Type.STRING,
                            ConfigDef.NO_DEFAULT_VALUE,
                            new ConfigDef.NonEmptyString(),
                            Importance.HIGH,
                            "Consumer group. All tasks and nodes of the connector share it; nobody else may.")
                    .define(
                            TOPIC,
                            ConfigDef.Type.STRING,
                            "",
                            Importance.HIGH,
                            "Topic of the records; in GeoRep, the outbox. Empty: the topic of the message.")
                    .define(
                            HEADERS,
                            ConfigDef.Type.STRING,
                            "text",
                            ConfigDef.ValidString.in("text", BYTES),
                            Importance.LOW,
                            "What headers become: texts where they are UTF-8, or always bytes, for a header.converter of bytes.")
                    .define(
                            INTERVAL,
                            ConfigDef.Type.LONG,
                            1_000L,
                            Range.between(0, 600_000),
                            Importance.LOW,
                            "Milliseconds between two commits to the group."),
            PREFIX,
            ConsumerConfig.configDef(),
            OURS);

    private final Function<Map<String, Object>, Consumer<byte[], byte[]>> consumers;
    private final OpenRecords open = new OpenRecords();
    /** For the consumer, which is for one thread at a time. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable AbstractConfig settings;
    private volatile @Nullable Consumer<byte[], byte[]> consumer;
    private volatile boolean stopped;
    private long committedAt;

    /** Called by Kafka Connect. */
    public KafkaSourceTask() {
        this(properties -> new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    KafkaSourceTask(Function<Map<String, Object>, Consumer<byte[], byte[]>> consumers) {
        this.consumers = consumers;
    }

    @Override
    public void start(Map<String, String> properties) {
        settings = new AbstractConfig(CONFIG, properties, false);
        stopped = false;
    }

    @Override
    public @Nullable List<SourceRecord> poll() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (stopped) {
                return null;
            }
            Consumer<byte[], byte[]> from = subscribed();
            if (System.nanoTime() - committedAt >= TimeUnit.MILLISECONDS.toNanos(set().getLong(INTERVAL))) {
                commit(from);
            }
            List<SourceRecord> records = new ArrayList<>();
            for (ConsumerRecord<byte[], byte[]> message : from.poll(POLL)) {
                open.given(new TopicPartition(message.topic(), message.partition()), message.offset());
                records.add(record(message));
            }
            return records.isEmpty() ? null : records;
        } catch (WakeupException e) {
            return null; // it is to stop
        } catch (InterruptException e) {
            throw new InterruptedException("interrupted while waiting for the brokers");
        } catch (org.apache.kafka.common.errors.RetriableException e) {
            throw new RetriableException("the brokers do not answer: " + e.getMessage(), e);
        } catch (KafkaException e) {
            if (e instanceof ConnectException known) {
                throw known;
            }
            throw new ConnectException(
                    "messages cannot be taken (" + e.getClass().getSimpleName() + ": " + e.getMessage() + "): look at "
                            + TOPICS + ", at " + PREFIX + "*, and at the user's rights",
                    e);
        } finally {
            lock.unlock();
        }
    }

    private Consumer<byte[], byte[]> subscribed() {
        Consumer<byte[], byte[]> known = consumer;
        if (known != null) {
            return known;
        }
        AbstractConfig set = set();
        int timeout = KafkaClients.timeoutMillis(set);
        try {
            Consumer<byte[], byte[]> next = consumers.apply(KafkaClients.properties(
                    set,
                    PREFIX,
                    defaults(timeout),
                    Map.of("group.id", set.getString(GROUP), "enable.auto.commit", false)));
            next.subscribe(set.getList(TOPICS), new Rebalance(next));
            consumer = next;
            committedAt = System.nanoTime();
            return next;
        } catch (KafkaException e) {
            if (KafkaClients.isWithoutNames(e)) {
                throw new RetriableException("no broker's name can be looked up", e);
            }
            throw KafkaClients.notMade(e);
        }
    }

    /**
     * A group without a position begins with the first message, so that none is left out. Messages of aborted transactions are
     * left out.
     */
    private Map<String, Object> defaults(int timeout) {
        Map<String, Object> defaults = new HashMap<>(Map.of(
                "auto.offset.reset",
                "earliest",
                "isolation.level",
                "read_committed",
                "default.api.timeout.ms",
                timeout));
        if (!"consumer".equalsIgnoreCase(String.valueOf(set().originals().get(PREFIX + "group.protocol")))) {
            // A task keeps the partitions that need not move. With the "consumer" protocol the brokers see to that.
            defaults.put("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
        }
        return defaults;
    }

    private final class Rebalance implements ConsumerRebalanceListener {
        private final Consumer<byte[], byte[]> from;

        Rebalance(Consumer<byte[], byte[]> from) {
            this.from = from;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            LOG.debug("Got {}", partitions);
        }

        /** Commits what is safe, so that the next owner does not take it again. */
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            try {
                if (!stopped) {
                    open.awaitSafe(partitions, REVOKE_MILLIS);
                }
                commit(from);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                open.forget(partitions);
            }
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            open.forget(partitions);
        }
    }

    /** Commits what is safe. If that fails, the next commit covers it, or another task takes the messages again. */
    private void commit(Consumer<byte[], byte[]> to) {
        committedAt = System.nanoTime();
        Map<TopicPartition, OffsetAndMetadata> offsets = open.committable();
        if (offsets.isEmpty()) {
            return;
        }
        try {
            to.commitSync(offsets, Duration.ofMillis(KafkaClients.timeoutMillis(set())));
            open.committed(offsets);
        } catch (WakeupException | InterruptException e) {
            throw e;
        } catch (RebalanceInProgressException e) {
            LOG.debug("The group is about to deal out its partitions anew; the offsets are committed after that");
        } catch (KafkaException e) {
            LOG.warn("The group's offsets were not committed; messages may come again: {}", e.toString());
        }
    }

    private SourceRecord record(ConsumerRecord<byte[], byte[]> message) {
        AbstractConfig set = set();
        ConnectHeaders headers = new ConnectHeaders();
        boolean bytes = set.getString(HEADERS).equals(BYTES);
        for (Header header : message.headers()) {
            add(headers, header.key(), header.value(), bytes);
        }
        add(headers, "kafka.source.topic", utf8(message.topic()), bytes);
        add(headers, "kafka.source.partition", utf8(Integer.toString(message.partition())), bytes);
        add(headers, "kafka.source.offset", utf8(Long.toString(message.offset())), bytes);
        return new SourceRecord(
                Map.of("group", set.getString(GROUP), TOPIC, message.topic(), PARTITION, message.partition()),
                Map.of(OFFSET, message.offset()),
                set.getString(TOPIC).isEmpty() ? message.topic() : set.getString(TOPIC),
                null,
                Schema.OPTIONAL_BYTES_SCHEMA,
                message.key(),
                Schema.OPTIONAL_BYTES_SCHEMA,
                message.value(),
                message.timestamp() < 0 ? null : message.timestamp(),
                headers);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void add(ConnectHeaders headers, String name, byte @Nullable [] value, boolean bytes) {
        String text = bytes || value == null ? null : text(value);
        if (text == null) {
            headers.add(name, value, Schema.OPTIONAL_BYTES_SCHEMA);
        } else {
            headers.addString(name, text);
        }
    }

    /** Null if it is not UTF-8. */
    private static @Nullable String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** Called on any thread. */
    @Override
    public void commitRecord(SourceRecord record, @Nullable RecordMetadata metadata) {
        Map<String, ?> from = record.sourcePartition();
        Object offset = record.sourceOffset().get(OFFSET);
        if (from.get(TOPIC) instanceof String topic
                && from.get(PARTITION) instanceof Integer partition
                && offset instanceof Long safe) {
            open.safe(new TopicPartition(topic, partition), safe);
        }
    }

    private AbstractConfig set() {
        return requireNonNull(settings, "not started");
    }

    /** Called on any thread. Commits what is safe and leaves the group. */
    @Override
    public void stop() {
        stopped = true;
        Consumer<byte[], byte[]> last = consumer;
        if (last != null) {
            last.wakeup();
        }
        lock.lock();
        try {
            last = consumer;
            consumer = null;
            if (last != null) {
                close(last);
            }
        } finally {
            lock.unlock();
        }
    }

    private void close(Consumer<byte[], byte[]> last) {
        try {
            commit(last);
        } catch (WakeupException e) {
            // The wake-up was meant for a poll that had already ended.
            commit(last);
        } finally {
            last.close();
        }
    }

    @Override
    public String version() {
        return new KafkaSinkConnector().version();
    }
}
