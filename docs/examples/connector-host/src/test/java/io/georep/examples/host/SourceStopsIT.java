package io.georep.examples.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.connectors.FreePort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The node that runs a source is killed, and what the source takes messages from is stopped and started, while messages arrive.
 * Each message that the other side had becomes an entry, which a sink writes to a file.
 */
@Tag("servers")
@Timeout(150)
final class SourceStopsIT {
    private static final int PHASE = 600;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FILE_PHASE = 3_000;
    private static final int OPEN_MAX = 100;
    private static final int MQTT_PORT = FreePort.find();
    private static final int RABBITMQ_PORT = FreePort.find();

    @TempDir
    private static Path directory;

    private static Hosts hosts;

    private final Ledger ledger = new Ledger();

    @BeforeAll
    static void startNodes() throws Exception {
        Map<String, String> all = new HashMap<>();
        all.putAll(source(
                "mqtt",
                Map.of(
                        "connector.class", "io.georep.connectors.mqtt.MqttSourceConnector",
                        "mqtt.host", "127.0.0.1",
                        "mqtt.port", Integer.toString(MQTT_PORT),
                        "mqtt.tls", "false",
                        "mqtt.topic.filter", MqttSide.TOPIC_IN,
                        "mqtt.client.id", "georep",
                        "mqtt.receive.maximum", Integer.toString(OPEN_MAX),
                        "value.converter", "org.apache.kafka.connect.converters.ByteArrayConverter",
                        "key.converter", "org.apache.kafka.connect.storage.StringConverter")));
        all.putAll(source(
                "rabbitmq",
                Map.of(
                        "connector.class", "io.georep.connectors.rabbitmq.RabbitSourceConnector",
                        "rabbitmq.host", "127.0.0.1",
                        "rabbitmq.port", Integer.toString(RABBITMQ_PORT),
                        "rabbitmq.tls", "false",
                        "rabbitmq.queue", RabbitSide.QUEUE_IN,
                        "rabbitmq.prefetch", Integer.toString(OPEN_MAX),
                        "value.converter", "org.apache.kafka.connect.converters.ByteArrayConverter",
                        "key.converter", "org.apache.kafka.connect.storage.StringConverter")));
        all.putAll(source(
                "file",
                Map.of(
                        "connector.class", "FileStreamSource",
                        "file", FileSide.in(directory.toAbsolutePath()).toString(),
                        // When a batch is full, this plugin keeps back the lines that it has read until the file grows.
                        "batch.size", "100000",
                        "value.converter", "org.apache.kafka.connect.storage.StringConverter")));
        hosts = new Hosts("sources", all);
    }

    @AfterAll
    static void stopNodes() {
        if (hosts != null) {
            hosts.close();
        }
    }

    /** The source, and a sink that writes its entries to a file. */
    private static Map<String, String> source(String name, Map<String, String> settings) {
        Map<String, String> connector = new HashMap<>(settings);
        connector.putAll(Map.of(
                "topic",
                name,
                "offset.flush.interval.ms",
                "100",
                "georep.pending.records.max",
                Integer.toString(OPEN_MAX),
                "georep.restart.delay.max.ms",
                "1000"));
        Map<String, String> all = Hosts.connector(name + "-source", connector);
        all.putAll(Hosts.connector(
                name + "-sink",
                Map.of(
                        "connector.class",
                        "FileStreamSink",
                        "topics",
                        name,
                        "file",
                        FileSide.out(directory.toAbsolutePath(), name),
                        "offset.flush.interval.ms",
                        "100",
                        "georep.window",
                        Integer.toString(OPEN_MAX),
                        "value.converter",
                        "org.apache.kafka.connect.storage.StringConverter")));
        all.put("georep.outboxes." + name + ".f", "1");
        return all;
    }

    /** Sends {@code phase} messages three times. The first half of the second is acknowledged when the node is killed. */
    private void stops(String name, int phase, int openMax, OtherSide server, Traffic.Door door) throws Exception {
        OtherSide files = new FileSide(directory, name, ledger);
        try (server) {
            server.start();
            hosts.awaitReady();
            HostProcess first = hosts.runs(name + "-source");
            Traffic traffic = new Traffic(door, ledger);
            traffic.send(phase);
            Arrivals.await(files, ledger, Integer.MAX_VALUE);

            traffic.send(phase, () -> {
                await().atMost(PATIENCE).until(() -> {
                    files.collect();
                    return ledger.arrived() > phase;
                });
                first.kill();
            });
            HostProcess second = hosts.runs(name + "-source");
            assertThat(second).isNotSameAs(first);
            Arrivals.await(files, ledger, Integer.MAX_VALUE);

            traffic.send(phase, () -> {
                server.stop();
                server.start();
            });
            Arrivals.await(files, ledger, Integer.MAX_VALUE);
            first.start();
            first.awaitReady();
            hosts.awaitEmpty(name);
            files.collect();
        }
        System.out.println(name + " source: " + ledger);
        assertThat(ledger.missing()).as("lost").isEmpty();
        assertThat(ledger.faults()).isEmpty();
        assertThat(ledger.acknowledged()).isEqualTo(3 * phase);
        assertThat(ledger.duplicates())
                .as("for the kill and for the stop what the source had open, and for the kill the window of the sink")
                .isLessThanOrEqualTo(2 * openMax + OPEN_MAX);
    }

    /** Mosquitto 2.0.11 does not keep to the receive maximum, so all that was sent before the accident may be open. */
    @Test
    void mqtt() throws Exception {
        MqttSide server = new MqttSide(directory, MQTT_PORT, ledger);
        stops("mqtt", PHASE, PHASE - PHASE / 4, server, server::publish);
    }

    @Test
    void rabbitmq() throws Exception {
        RabbitSide server = new RabbitSide(directory, RABBITMQ_PORT, ledger);
        stops("rabbitmq", PHASE, OPEN_MAX, server, server::publish);
    }

    /** Kafka's own, unmodified: another node goes on from the last offset that was written, so from a line of this phase. */
    @Test
    void file() throws Exception {
        FileSide file = new StoppedFileSide(directory, "none", ledger, hosts, "file-source");
        stops("file", FILE_PHASE, FILE_PHASE - FILE_PHASE / 4, file, file::append);
    }
}
