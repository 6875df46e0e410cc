package io.georep.connectors.kafka;

import io.georep.connectors.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own broker as a process of the test's, from the jars on the class path. It keeps what it has when it is stopped. */
public final class KafkaBroker implements AutoCloseable {
    private static final long SECONDS_MAX = 60;

    private final Path directory;
    private final int port = FreePort.find();
    private final Path settings;
    private Process process;

    /** Not started. */
    public KafkaBroker(Path directory) {
        this.directory = directory;
        this.settings = directory.resolve("broker.properties");
        int controller = FreePort.find();
        try {
            Files.write(
                    settings,
                    List.of(
                            "process.roles=broker,controller",
                            "node.id=1",
                            "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller,
                            "advertised.listeners=PLAINTEXT://127.0.0.1:" + port,
                            "controller.listener.names=CONTROLLER",
                            "controller.quorum.voters=1@127.0.0.1:" + controller,
                            "log.dirs=" + directory.resolve("log"),
                            "auto.create.topics.enable=false",
                            "offsets.topic.num.partitions=1",
                            "offsets.topic.replication.factor=1",
                            "transaction.state.log.num.partitions=1",
                            "transaction.state.log.replication.factor=1",
                            "transaction.state.log.min.isr=1",
                            "group.initial.rebalance.delay.ms=0",
                            "group.min.session.timeout.ms=1000"));
            Process format = java(
                    "kafka.tools.StorageTool", "format", "-t", Uuid.randomUuid().toString(), "-c", settings.toString());
            if (!format.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || format.exitValue() != 0) {
                format.destroyForcibly();
                throw new IOException("no store for the broker: " + log());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Process java(String main, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main));
        words.addAll(List.of(arguments));
        return new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("broker.log").toFile()))
                .start();
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("broker.log"));
    }

    /** Starts it, and waits until it answers. */
    public void start() {
        try {
            process = java("kafka.Kafka", settings.toString());
            try (Admin admin = admin()) {
                admin.describeCluster().nodes().get(SECONDS_MAX, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IOException("the broker does not answer: " + log(), e);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it in order. */
    public void stop() {
        if (process != null) {
            process.destroy();
            try {
                if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                    kill();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** SIGKILL. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Where clients find it. */
    public String servers() {
        return "127.0.0.1:" + port;
    }

    /** A new client for what administrators do. */
    public Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", servers()));
    }

    /**
     * Creates a topic and waits until its partitions are led: a producer with several batches under way to one that is not can
     * get them out of order, and tries the first again without end.
     */
    public void create(String topic, int partitions, Map<String, String> topicSettings) throws Exception {
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(topicSettings)))
                    .all()
                    .get(SECONDS_MAX, TimeUnit.SECONDS);
            Map<TopicPartition, OffsetSpec> all = new HashMap<>();
            for (int i = 0; i < partitions; i++) {
                all.put(new TopicPartition(topic, i), OffsetSpec.latest());
            }
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
            while (!areLed(admin, all)) {
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException("the topic " + topic + " is not led: " + log());
                }
            }
        }
    }

    /** False if the broker does not know all partitions yet. */
    private static boolean areLed(Admin admin, Map<TopicPartition, OffsetSpec> partitions) throws Exception {
        try {
            admin.listOffsets(partitions).all().get(SECONDS_MAX, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RetriableException) {
                return false;
            }
            throw e;
        }
    }

    /** A new producer of bytes. */
    public KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> all = new HashMap<>(more);
        all.put("bootstrap.servers", servers());
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** All messages of a topic up to its end of now, partition after partition. */
    public List<ConsumerRecord<byte[], byte[]>> messages(String topic) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", servers(), "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            List<ConsumerRecord<byte[], byte[]>> messages = new ArrayList<>();
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                consumer.poll(Duration.ofMillis(200)).forEach(messages::add);
            }
            return messages;
        }
    }

    /** How far a group has come in a partition; -1 if it said nothing. */
    public long committed(String group, TopicPartition partition) throws Exception {
        try (Admin admin = admin()) {
            OffsetAndMetadata offset = admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get(SECONDS_MAX, TimeUnit.SECONDS)
                    .get(partition);
            return offset == null ? -1 : offset.offset();
        }
    }

    @Override
    public void close() {
        stop();
    }
}
