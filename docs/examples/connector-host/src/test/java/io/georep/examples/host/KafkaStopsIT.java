package io.georep.examples.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.connectors.kafka.KafkaBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Messages go from one topic of Kafka through an outbox to another topic, on three nodes that share the topic. A node is killed, and
 * the broker is killed and started, while they do. Whatever the broker had acknowledged arrives, and the group ends at the end.
 */
@Tag("servers")
@Timeout(150)
final class KafkaStopsIT {
    private static final int PHASE = 600;
    private static final int OPEN_MAX = 100;
    private static final int WINDOW = 100;
    private static final int NODES = 3;
    private static final String GROUP = "georep";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final Ledger ledger = new Ledger();

    private static Map<String, String> settings(KafkaBroker broker) {
        String bytes = "org.apache.kafka.connect.converters.ByteArrayConverter";
        Map<String, String> all = new HashMap<>(Map.of("georep.outboxes.bridge.f", "1"));
        all.putAll(Hosts.connector(
                "in",
                Map.of(
                        "connector.class",
                        "io.georep.connectors.kafka.KafkaSourceConnector",
                        "kafka.bootstrap.servers",
                        broker.servers(),
                        "kafka.topics",
                        KafkaSide.TOPIC_IN,
                        "kafka.group.id",
                        GROUP,
                        "kafka.timeout.ms",
                        "3000",
                        "kafka.consumer.session.timeout.ms",
                        "6000",
                        "topic",
                        "bridge",
                        "value.converter",
                        bytes,
                        "georep.nodes",
                        "every",
                        "georep.pending.records.max",
                        Integer.toString(OPEN_MAX))));
        all.putAll(Hosts.connector(
                "in",
                Map.of(
                        "kafka.consumer.max.poll.records", "50",
                        "kafka.commit.interval.ms", "100",
                        "georep.restart.delay.max.ms", "1000")));
        all.putAll(Hosts.connector(
                "out",
                Map.of(
                        "connector.class", "io.georep.connectors.kafka.KafkaSinkConnector",
                        "kafka.bootstrap.servers", broker.servers(),
                        "kafka.topic", KafkaSide.TOPIC_OUT,
                        "kafka.timeout.ms", "3000",
                        "topics", "bridge",
                        "value.converter", bytes,
                        "offset.flush.interval.ms", "100",
                        "georep.id.header", "georep.id",
                        "georep.window", Integer.toString(WINDOW))));
        all.putAll(Hosts.connector(
                "out",
                Map.of(
                        "retry.backoff.ms",
                        "50",
                        "retry.backoff.max.ms",
                        "200",
                        "georep.restart.delay.max.ms",
                        "1000")));
        return all;
    }

    @Test
    void nothingIsLostBetweenTwoTopics() throws Exception {
        KafkaBroker broker = new KafkaBroker(directory);
        try (KafkaSide kafka = new KafkaSide(broker, ledger)) {
            kafka.start();
            try (Hosts hosts = new Hosts("kafka", settings(broker))) {
                hosts.awaitReady();
                Traffic traffic = new Traffic(kafka::publish, ledger);
                traffic.send(PHASE);
                Arrivals.await(kafka, ledger, PHASE / 2);

                await("each node to have a part of the topic").atMost(PATIENCE).until(() -> readers(broker) == NODES);
                HostProcess killed = hosts.node(0);
                traffic.send(PHASE, killed::kill);
                Arrivals.await(kafka, ledger, Integer.MAX_VALUE);

                traffic.send(PHASE, () -> {
                    kafka.stop();
                    kafka.start();
                });
                Arrivals.await(kafka, ledger, Integer.MAX_VALUE);
                killed.start();
                killed.awaitReady();
                traffic.send(PHASE);
                Arrivals.await(kafka, ledger, Integer.MAX_VALUE);
                hosts.awaitEmpty("bridge");
                await("the group to be at the end").atMost(PATIENCE).until(() -> committed(broker) == ends(broker));
                kafka.collect();
            }
        }
        System.out.println("kafka: " + ledger);
        assertThat(ledger.missing()).as("lost").isEmpty();
        assertThat(ledger.faults()).isEmpty();
        assertThat(ledger.acknowledged()).isEqualTo(4 * PHASE);
        assertThat(ledger.duplicates())
                .as(
                        "what sources and sinks had open at the kill of a node, at that of the broker, and when partitions moved")
                .isLessThanOrEqualTo(3 * NODES * OPEN_MAX + NODES * WINDOW);
    }

    /** Members of the group that have a partition. */
    private static long readers(KafkaBroker broker) throws Exception {
        try (Admin admin = broker.admin()) {
            return admin.describeConsumerGroups(List.of(GROUP)).all().get().get(GROUP).members().stream()
                    .filter(each -> !each.assignment().topicPartitions().isEmpty())
                    .count();
        }
    }

    private static long committed(KafkaBroker broker) throws Exception {
        long sum = 0;
        for (int partition = 0; partition < KafkaSide.PARTITIONS; partition++) {
            sum += Math.max(0, broker.committed(GROUP, new TopicPartition(KafkaSide.TOPIC_IN, partition)));
        }
        return sum;
    }

    private static long ends(KafkaBroker broker) {
        return broker.messages(KafkaSide.TOPIC_IN).size();
    }
}
