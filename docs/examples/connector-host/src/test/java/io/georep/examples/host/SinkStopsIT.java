package io.georep.examples.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes are killed, and what the sink sends to is stopped and started, while entries arrive. Whatever was acknowledged arrives; not
 * more arrives twice than was in the hands of the sinks.
 */
@Tag("servers")
@Timeout(120)
final class SinkStopsIT {
    private static final String OUTBOX = "messages";
    private static final int PHASE = 500;
    private static final int WINDOW = 100;
    private static final int BATCH = 50;
    private static final int NODES = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final Ledger ledger = new Ledger();

    private static Map<String, String> settings(Map<String, String> sink) {
        Map<String, String> connector = new HashMap<>(sink);
        connector.putAll(Map.of(
                "topics",
                OUTBOX,
                "value.converter",
                "org.apache.kafka.connect.storage.StringConverter",
                "offset.flush.interval.ms",
                "100",
                "georep.window",
                Integer.toString(WINDOW),
                "georep.poll.records.max",
                Integer.toString(BATCH),
                "georep.restart.delay.max.ms",
                "1000"));
        Map<String, String> all = new HashMap<>(Hosts.connector("out", connector));
        all.putAll(Map.of("georep.outboxes." + OUTBOX + ".f", "1", "door.outboxes", OUTBOX));
        return all;
    }

    /** One node is killed while the other side is away, and comes back; another one is killed under load, and is adopted. */
    private void stops(String name, OtherSide server, Map<String, String> sink) throws Exception {
        server.start();
        try (server;
                Hosts hosts = new Hosts(name, settings(sink))) {
            hosts.awaitReady();
            Traffic traffic = new Traffic(Traffic.http(hosts, OUTBOX), ledger);
            traffic.send(PHASE);
            awaitArrivals(server, 1);

            traffic.send(PHASE, server::stop);
            HostProcess first = hosts.node(0);
            assertThat(first.backlog(OUTBOX)).as("entries in flight").isPositive();
            first.kill();
            traffic.send(PHASE);
            server.start();
            first.start();
            first.awaitReady();
            awaitArrivals(server, 2 * PHASE);

            HostProcess second = hosts.node(1);
            traffic.send(PHASE, second::kill);
            traffic.send(PHASE);
            awaitArrivals(server, Integer.MAX_VALUE);
            second.start();
            second.awaitReady();
            hosts.awaitEmpty(OUTBOX);
            server.collect();
            judge(name);
        }
    }

    private void awaitArrivals(OtherSide server, int count) {
        await("arrivals: " + ledger).atMost(PATIENCE).until(() -> {
            server.collect();
            return ledger.missing().isEmpty() || ledger.arrived() >= count;
        });
    }

    private void judge(String name) {
        System.out.println(name + ": " + ledger);
        assertThat(ledger.missing()).as("lost").isEmpty();
        assertThat(ledger.faults()).isEmpty();
        assertThat(ledger.acknowledged()).isEqualTo(5 * PHASE);
        assertThat(ledger.duplicates())
                .as("a window for each kill, and a batch of each node for each stop of the other side")
                .isLessThanOrEqualTo(2 * WINDOW + NODES * BATCH);
    }

    @Test
    void webhook() throws Exception {
        HookServer server = new HookServer(ledger);
        stops(
                "webhook",
                server,
                Map.of(
                        "connector.class", "io.georep.connectors.webhook.WebhookSinkConnector",
                        "webhook.url", "http://127.0.0.1:" + server.port() + "/hook",
                        "webhook.timeout.ms", "2000",
                        "retry.backoff.ms", "50",
                        "retry.backoff.max.ms", "200",
                        "georep.id.header", "georep.id"));
    }
}
