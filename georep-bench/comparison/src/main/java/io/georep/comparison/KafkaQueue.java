package io.georep.comparison;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A topic of Kafka with one partition for each node, led by the broker beside it and kept by all three: an idempotent producer with
 * {@code acks=all}, and a consumer that commits its place after each poll. An entry has ended when the place behind it is
 * committed; the log keeps it for longer.
 */
final class KafkaQueue implements ComparedQueue {
    private static final int AT_ONCE = 1000;
    private static final Duration POLL = Duration.ofMillis(500);

    private final Place place;
    private final TopicPartition own;
    private final Properties common = new Properties();
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicLong ended = new AtomicLong();
    private @Nullable KafkaConsumer<byte[], byte[]> consumer;

    KafkaQueue(Place place) throws InterruptedException {
        this.place = place;
        own = new TopicPartition(topic(place.index()), 0);
        common.put(
                "bootstrap.servers",
                place.hosts().stream()
                        .map(host -> host + ":" + KafkaServers.PORT)
                        .collect(Collectors.joining(",")));
        Properties producing = new Properties();
        producing.putAll(common);
        producing.put("acks", "all");
        producing.put("enable.idempotence", "true");
        producer = new KafkaProducer<>(producing, new ByteArraySerializer(), new ByteArraySerializer());
        if (place.index() == 0) {
            createTopics();
        }
    }

    private static String topic(int index) {
        return "bench-" + index;
    }

    private void createTopics() throws InterruptedException {
        List<NewTopic> topics = IntStream.range(0, place.nodes())
                .mapToObj(index -> new NewTopic(
                        topic(index),
                        Map.of(
                                0,
                                IntStream.range(0, place.nodes())
                                        .mapToObj(each -> (index + each) % place.nodes())
                                        .toList())))
                .toList();
        try (Admin admin = Admin.create(common)) {
            admin.createTopics(topics).all().get();
        } catch (ExecutionException e) {
            throw new KafkaException("cannot create topics", e);
        }
    }

    @Override
    public boolean ready() throws InterruptedException {
        try (Admin admin = Admin.create(common)) {
            Set<String> there = admin.listTopics().names().get();
            return IntStream.range(0, place.nodes()).allMatch(index -> there.contains(topic(index)));
        } catch (ExecutionException e) {
            return false;
        }
    }

    @Override
    public void consume(Consumer<byte[]> handler) {
        Properties consuming = new Properties();
        consuming.putAll(common);
        consuming.put("group.id", own.topic());
        consuming.put("enable.auto.commit", "false");
        consuming.put("auto.offset.reset", "earliest");
        consuming.put("max.poll.records", AT_ONCE);
        KafkaConsumer<byte[], byte[]> made =
                new KafkaConsumer<>(consuming, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        made.assign(List.of(own));
        consumer = made;
        Thread taker = new Thread(() -> take(made, handler), "taker");
        taker.setDaemon(true);
        taker.start();
    }

    private void take(KafkaConsumer<byte[], byte[]> from, Consumer<byte[]> handler) {
        try (from) {
            while (true) {
                ConsumerRecords<byte[], byte[]> records = from.poll(POLL);
                records.forEach(each -> handler.accept(each.value()));
                if (!records.isEmpty()) {
                    from.commitSync();
                    ended.addAndGet(records.count());
                }
            }
        } catch (WakeupException e) {
            return; // Closed.
        }
    }

    @Override
    public CompletionStage<?> send(byte[] payload) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        producer.send(new ProducerRecord<>(own.topic(), 0, null, payload), (where, failure) -> {
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
        KafkaConsumer<byte[], byte[]> made = consumer;
        if (made != null) {
            made.wakeup();
        }
        producer.close(Duration.ZERO);
    }
}
