package io.georep.examples.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.connectors.FreePort;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes are killed, and what the sink sends to is stopped and started, while entries arrive. Whatever was acknowledged arrives; not
 * more arrives twice than was in the hands of the sinks.
 */
@Tag("servers")
@Timeout(150)
final class SinkStopsIT {
    private static final int PHASE = 400;
    private static final int WINDOW = 100;
    private static final int BATCH = 50;
    private static final int NODES = 3;
    private static final int PORT = FreePort.find();
    private static final int JMS_PORT = FreePort.find();

    @TempDir
    private static Path directory;

    private static Hosts hosts;

    private final Ledger ledger = new Ledger();

    /** All sinks are there all the time; those that have no entries look for no server. */
    @BeforeAll
    static void startNodes() throws Exception {
        Map<String, String> all = new HashMap<>();
        String port = Integer.toString(PORT);
        all.putAll(sink(
                "webhook",
                Map.of(
                        "connector.class", "io.georep.connectors.webhook.WebhookSinkConnector",
                        "webhook.url", "http://127.0.0.1:" + port + "/hook",
                        "webhook.timeout.ms", "2000")));
        all.putAll(sink(
                "smtp",
                Map.of(
                        "connector.class", "io.georep.connectors.smtp.SmtpSinkConnector",
                        "smtp.host", "127.0.0.1",
                        "smtp.port", port,
                        "smtp.security", "none",
                        "smtp.from", "gateway@example.com",
                        "smtp.to", "ops@example.com",
                        "smtp.timeout.ms", "2000")));
        all.putAll(sink(
                "jms",
                Map.of(
                        "connector.class",
                        "io.georep.connectors.jms.JmsSinkConnector",
                        "jms.url",
                        JmsBroker.url(JMS_PORT),
                        "jms.destination",
                        JmsBroker.QUEUE)));
        all.putAll(sink(
                "mqtt",
                Map.of(
                        "connector.class", "io.georep.connectors.mqtt.MqttSinkConnector",
                        "mqtt.host", "127.0.0.1",
                        "mqtt.port", port,
                        "mqtt.tls", "false",
                        "mqtt.topic", MqttSide.TOPIC_OUT)));
        all.putAll(sink(
                "rabbitmq",
                Map.of(
                        "connector.class", "io.georep.connectors.rabbitmq.RabbitSinkConnector",
                        "rabbitmq.host", "127.0.0.1",
                        "rabbitmq.port", port,
                        "rabbitmq.tls", "false",
                        "rabbitmq.routing.key", RabbitSide.QUEUE_OUT)));
        all.putAll(sink(
                "file",
                Map.of("connector.class", "FileStreamSink", "file", FileSide.out(directory.toAbsolutePath(), "file"))));
        all.put("door.outboxes", "webhook,smtp,jms,mqtt,rabbitmq,file");
        hosts = new Hosts("sinks", all);
    }

    @AfterAll
    static void stopNodes() {
        if (hosts != null) {
            hosts.close();
        }
    }

    private static Map<String, String> sink(String name, Map<String, String> settings) {
        Map<String, String> connector = new HashMap<>(settings);
        connector.putAll(Map.of(
                "topics", name,
                "value.converter", "org.apache.kafka.connect.storage.StringConverter",
                "offset.flush.interval.ms", "100",
                "retry.backoff.ms", "50",
                "retry.backoff.max.ms", "200",
                "georep.id.header", "georep.id",
                "georep.window", Integer.toString(WINDOW),
                "georep.poll.records.max", Integer.toString(BATCH),
                "georep.restart.delay.max.ms", "1000"));
        Map<String, String> all = Hosts.connector(name, connector);
        all.put("georep.outboxes." + name + ".f", "1");
        return all;
    }

    /** One node is killed while the other side is away, and comes back; another one is killed under load, and is adopted. */
    private void stops(String name, OtherSide server) throws Exception {
        try (server) {
            server.start();
            hosts.awaitReady();
            Traffic traffic = new Traffic(Traffic.http(hosts, name), ledger);
            traffic.send(PHASE);
            Arrivals.await(server, ledger, 1);

            traffic.send(PHASE / 2, server::stop);
            traffic.send(PHASE / 2);
            HostProcess first = hosts.node(0);
            assertThat(first.backlog(name)).as("entries in flight").isPositive();
            first.kill();
            traffic.send(PHASE);
            server.start();
            first.start();
            first.awaitReady();
            Arrivals.await(server, ledger, 2 * PHASE);

            HostProcess second = hosts.node(1);
            traffic.send(PHASE, second::kill);
            traffic.send(PHASE);
            Arrivals.await(server, ledger, Integer.MAX_VALUE);
            second.start();
            second.awaitReady();
            hosts.awaitEmpty(name);
            server.collect();
        }
        System.out.println(name + " sink: " + ledger);
        assertThat(ledger.missing()).as("lost").isEmpty();
        assertThat(ledger.faults()).isEmpty();
        assertThat(ledger.acknowledged()).isEqualTo(5 * PHASE);
        assertThat(ledger.duplicates())
                .as("a window for each kill, and a batch of each node for each stop of the other side")
                .isLessThanOrEqualTo(2 * WINDOW + NODES * BATCH);
    }

    @Test
    void webhook() throws Exception {
        stops("webhook", new HookServer(PORT, ledger));
    }

    @Test
    void smtp() throws Exception {
        stops("smtp", new MailServer(PORT, ledger));
    }

    @Test
    void jms() throws Exception {
        stops("jms", new JmsBroker(directory.resolve("jms"), JMS_PORT, ledger));
    }

    @Test
    void mqtt() throws Exception {
        stops("mqtt", new MqttSide(directory, PORT, ledger));
    }

    @Test
    void rabbitmq() throws Exception {
        stops("rabbitmq", new RabbitSide(directory, PORT, ledger));
    }

    /** Kafka's own, unmodified. */
    @Test
    void file() throws Exception {
        stops("file", new StoppedFileSide(directory, "file", ledger, hosts, "file"));
    }
}
