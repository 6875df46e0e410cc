package io.georep.comparison;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A topic of Kafka with three replicas, whose partitions the nodes share: producers that wait for all replicas that are in sync,
 * and consumers of one group that commit how far they are after each poll. Nothing is deleted then; that is what retention does.
 */
final class KafkaQueue implements ComparedQueue {
    private static final String TOPIC = "bench";
    private static final int PARTITIONS = 12;
    private static final Duration POLL = Duration.ofMillis(200);

    private final String servers;
    private final short copies;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicLong ended = new AtomicLong();
    private volatile boolean closed;

    KafkaQueue(Place place) throws ExecutionException, InterruptedException {
        servers = place.hosts().stream().map(host -> host + ":" + KafkaServers.PORT).collect(Collectors.joining(","));
        copies = (short) place.nodes();
        if (place.index() == 0) {
            create();
        }
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", servers, "acks", "all"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private void create() throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, copies))).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }

    /** When each partition has its replicas. */
    @Override
    public boolean ready() throws InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            return admin.describeTopics(List.of(TOPIC)).allTopicNames().get(5, TimeUnit.SECONDS).get(TOPIC).partitions().stream()
                    .allMatch(each -> each.isr().size() == copies);
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    @Override
    public void consume(Consumer<byte[]> handler) {
        Thread poller = new Thread(() -> poll(handler), "poller");
        poller.setDaemon(true);
        poller.start();
    }

    private void poll(Consumer<byte[]> handler) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", servers,
                "group.id", "bench",
                "group.protocol", "consumer",
                "enable.auto.commit", false,
                "auto.offset.reset", "earliest",
                "max.poll.records", 2000);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            long handled = 0;
            while (!closed) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                for (ConsumerRecord<byte[], byte[]> each : records) {
                    handler.accept(each.value());
                }
                handled += records.count();
                if (!records.isEmpty()) {
                    // A commit covers all before it.
                    long upTo = handled;
                    consumer.commitAsync((offsets, failure) -> {
                        if (failure == null) {
                            ended.accumulateAndGet(upTo, Math::max);
                        }
                    });
                }
            }
        }
    }

    @Override
    public CompletionStage<?> send(byte[] payload) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        producer.send(new ProducerRecord<>(TOPIC, payload), (metadata, failure) -> {
            if (failure == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(failure);
            }
        });
        return done;
    }

    @Override
    public long ended() {
        return ended.get();
    }

    @Override
    public void close() {
        closed = true;
        producer.close(Duration.ofSeconds(2));
    }
}
