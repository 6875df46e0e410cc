package io.georep.examples.host;

import io.georep.connectors.kafka.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A broker of Kafka. Messages go into one topic, and what arrives in the other one is entered in the ledger. */
final class KafkaSide implements OtherSide {
    static final String TOPIC_IN = "incoming";
    static final String TOPIC_OUT = "outgoing";
    static final int PARTITIONS = 3;

    private final KafkaBroker broker;
    private final Ledger ledger;
    private KafkaProducer<byte[], byte[]> producer;
    private int collected;

    KafkaSide(KafkaBroker broker, Ledger ledger) {
        this.broker = broker;
        this.ledger = ledger;
    }

    @Override
    public void start() throws Exception {
        broker.start();
        if (producer == null) {
            broker.create(TOPIC_IN, PARTITIONS, Map.of());
            broker.create(TOPIC_OUT, 1, Map.of());
            producer = broker.producer(Map.of("acks", "all", "batch.size", 500));
        }
    }

    /** Ends without a chance to say anything. */
    @Override
    public void stop() {
        broker.kill();
    }

    /** Acknowledged when the broker has it. */
    CompletableFuture<Boolean> publish(String payload) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        producer.send(new ProducerRecord<>(TOPIC_IN, payload.getBytes(StandardCharsets.UTF_8)), (metadata, error) -> {
            if (error == null) {
                answer.complete(true);
            } else {
                answer.completeExceptionally(error);
            }
        });
        return answer;
    }

    @Override
    public void collect() {
        var all = broker.messages(TOPIC_OUT);
        for (; collected < all.size(); collected++) {
            ledger.arrived(new String(all.get(collected).value(), StandardCharsets.UTF_8));
        }
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close();
        }
        broker.close();
    }

    @Override
    public String toString() {
        return "Kafka";
    }
}
