package io.georep.examples.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Debezium's connectors, as Debezium publishes them: rows of one database come to another by way of three nodes. Nodes are killed,
 * and the server stops, while rows are inserted. Whatever was committed arrives.
 */
@Tag("servers")
@Timeout(240)
final class DebeziumIT {
    private static final Path PAGE = Path.of("..", "..", "use", "connectors", "debezium.md");
    private static final int PHASE = 300;
    private static final int WINDOW = 100;
    private static final int PENDING = 200;
    private static final int NODES = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Ledger ledger = new Ledger();
    private final Set<String> seen = new HashSet<>();

    /** The settings of the page, for the server of this test. */
    private static Map<String, String> settings(Postgres server) throws IOException {
        Map<String, String> all = new HashMap<>();
        for (String block : Files.readString(PAGE).split("```properties\n")) {
            int end = block.indexOf("```");
            if (block.startsWith("georep.") && end > 0) {
                Properties properties = new Properties();
                properties.load(new java.io.StringReader(block.substring(0, end)));
                properties.forEach((key, value) -> all.put(
                        key.toString(),
                        value.toString()
                                .replace("db.example.com:5432", "127.0.0.1:" + server.port())
                                .replace("db.example.com", "127.0.0.1")));
            }
        }
        assertThat(all).as("settings in " + PAGE).containsKey("georep.connectors.orders.connector.class");
        all.put("georep.plugin-path", System.getProperty("host.plugins", "target/plugins"));
        all.put("georep.connectors.orders.database.port", Integer.toString(server.port()));
        // Seconds instead of a minute until they try again.
        Map<String, String> impatient = Map.of(
                "orders.retriable.restart.connector.wait.ms", "500",
                "orders.slot.retry.delay.ms", "500",
                "orders.offset.flush.interval.ms", "100",
                "orders.georep.pending.records.max", Integer.toString(PENDING),
                "orders.georep.restart.delay.max.ms", "1000",
                "copy.offset.flush.interval.ms", "100",
                "copy.georep.window", Integer.toString(WINDOW),
                "copy.georep.restart.delay.max.ms", "1000");
        impatient.forEach((key, value) -> all.put("georep.connectors." + key, value));
        return all;
    }

    /** Inserts a row; it is acknowledged when the transaction is committed. */
    private static final class Table implements Traffic.Door, AutoCloseable {
        private final Postgres server;
        private Connection connection;

        Table(Postgres server) {
            this.server = server;
        }

        @Override
        public synchronized CompletableFuture<Boolean> send(String payload) throws SQLException {
            if (connection == null || connection.isClosed()) {
                connection = server.connect("shop");
            }
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders (payload) VALUES (?)")) {
                insert.setString(1, payload);
                insert.executeUpdate();
                return CompletableFuture.completedFuture(true);
            }
        }

        @Override
        public synchronized void close() throws SQLException {
            if (connection != null) {
                connection.close();
            }
        }
    }

    private void collect(Postgres server) throws SQLException {
        for (String row : server.read("copy", "SELECT arrival || ' ' || payload FROM orders")) {
            if (seen.add(row)) {
                ledger.arrived(row.substring(row.indexOf(' ') + 1));
            }
        }
    }

    private void awaitAll(Postgres server) {
        await("all rows: " + ledger).atMost(PATIENCE).until(() -> {
            collect(server);
            return ledger.missing().isEmpty();
        });
    }

    @Test
    void rowsComeFromOneDatabaseToTheOtherWhateverStopsOnTheWay() throws Exception {
        try (Postgres server = new Postgres();
                Table table = new Table(server)) {
            server.start();
            server.execute("postgres", "CREATE DATABASE shop", "CREATE DATABASE copy");
            server.execute("shop", "CREATE TABLE orders (id serial PRIMARY KEY, payload text NOT NULL)");
            server.execute("copy", "CREATE TABLE orders (arrival bigserial, id int, payload text)");
            Traffic traffic = new Traffic(table, ledger);
            traffic.send(PHASE);
            try (Hosts hosts = new Hosts("debezium", List.of("-Xmx256m"), settings(server))) {
                hosts.awaitReady();
                awaitAll(server); // the snapshot
                traffic.send(PHASE);
                awaitAll(server);

                HostProcess first = hosts.runs("orders");
                traffic.send(PHASE, first::kill);
                HostProcess second = hosts.runs("orders");
                assertThat(second).as("the source moves").isNotSameAs(first);
                awaitAll(server);
                first.start();
                first.awaitReady();

                traffic.send(PHASE, () -> {
                    server.stop();
                    server.start();
                });
                awaitAll(server);

                HostProcess third = hosts.runs("orders");
                traffic.send(PHASE, () -> {
                    server.stop();
                    third.kill();
                    server.start();
                });
                awaitAll(server);
                third.start();
                third.awaitReady();
                hosts.awaitEmpty("orders");
                collect(server);
                judge();
            }
        }
    }

    private void judge() {
        System.out.println("debezium: " + ledger);
        assertThat(ledger.missing()).as("lost").isEmpty();
        assertThat(ledger.faults()).isEmpty();
        assertThat(ledger.acknowledged()).isEqualTo(5 * PHASE);
        assertThat(ledger.duplicates())
                .as("what was under way at two kills and two stops")
                .isLessThanOrEqualTo(4 * (PENDING + NODES * WINDOW));
    }
}
