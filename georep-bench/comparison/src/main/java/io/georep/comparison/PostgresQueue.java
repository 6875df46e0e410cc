package io.georep.comparison;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table as outbox: an {@code INSERT} with a commit for each entry, by a pool of connections for each node, as an application has
 * one; and a poller on each node that takes many rows at once and deletes them. A commit that only deletes need not wait for a
 * disk: if it is lost, the entries come again.
 */
final class PostgresQueue implements ComparedQueue {
    private static final int POOL = 32;
    private static final int AT_ONCE = 1000;
    private static final long NOTHING_MILLIS = 2;

    private static final String TABLE =
            "CREATE TABLE IF NOT EXISTS outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload bytea NOT NULL)";

    private static final String TAKE = "DELETE FROM outbox WHERE id = ANY (ARRAY (SELECT id FROM outbox ORDER BY id LIMIT "
            + AT_ONCE + " FOR UPDATE SKIP LOCKED)) RETURNING payload";

    private final String url;
    private final PendingSends sends = new PendingSends();
    private final AtomicLong ended = new AtomicLong();
    private volatile boolean closed;

    PostgresQueue(Place place) throws SQLException {
        url = place.hosts().stream()
                .map(host -> host + ":" + PostgresServers.PORT)
                .collect(Collectors.joining(
                        ",", "jdbc:postgresql://", "/postgres?targetServerType=primary&user=" + PostgresServers.USER));
        if (place.index() == 0) {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute(TABLE);
            }
        }
    }

    /** When there is the table. */
    @Override
    public boolean ready() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regclass('outbox') IS NOT NULL")) {
            return row.next() && row.getBoolean(1);
        }
    }

    @Override
    public void consume(Consumer<byte[]> handler) {
        for (int i = 0; i < POOL; i++) {
            sends.start(1, new Inserting()::insert);
        }
        Thread poller = new Thread(() -> poll(handler), "poller");
        poller.setDaemon(true);
        poller.start();
    }

    /** A connection of the pool, made anew when it broke; used by one thread. */
    private final class Inserting {
        private @Nullable Connection connection;

        void insert(List<byte[]> payloads) throws SQLException {
            Connection used = connection;
            if (used == null) {
                used = DriverManager.getConnection(url);
                connection = used;
            }
            // The driver keeps the statement prepared.
            try (PreparedStatement statement = used.prepareStatement("INSERT INTO outbox (payload) VALUES (?)")) {
                statement.setBytes(1, payloads.get(0));
                statement.executeUpdate();
            } catch (SQLException e) {
                connection = null;
                used.close();
                throw e;
            }
        }
    }

    private void poll(Consumer<byte[]> handler) {
        while (!closed) {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute("SET synchronous_commit = off");
                connection.setAutoCommit(false);
                try (PreparedStatement take = connection.prepareStatement(TAKE)) {
                    while (!closed) {
                        take(connection, take, handler);
                    }
                }
            } catch (SQLException e) {
                System.err.println("Connects again: " + e);
            } catch (InterruptedException e) {
                return; // Closed.
            }
        }
    }

    private void take(Connection connection, PreparedStatement take, Consumer<byte[]> handler)
            throws SQLException, InterruptedException {
        int taken = 0;
        try (ResultSet rows = take.executeQuery()) {
            while (rows.next()) {
                handler.accept(rows.getBytes(1));
                taken++;
            }
        }
        connection.commit();
        ended.addAndGet(taken);
        if (taken < AT_ONCE / 10) {
            // Small batches cost as much as large ones.
            TimeUnit.MILLISECONDS.sleep(NOTHING_MILLIS);
        }
    }

    @Override
    public CompletionStage<?> send(byte[] payload) {
        return sends.add(payload);
    }

    @Override
    public long ended() {
        return ended.get();
    }

    @Override
    public void close() {
        closed = true;
        sends.close();
    }
}
