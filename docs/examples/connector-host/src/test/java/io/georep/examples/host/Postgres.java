package io.georep.examples.host;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.georep.connectors.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A PostgreSQL server of the test's own, from Debian's package, with logical replication. */
final class Postgres implements AutoCloseable {
    private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");
    private static final long SECONDS_MAX = 30;

    private final Path directory;
    private final int port = FreePort.find();
    private Process process;

    /** Makes an empty cluster, or skips the test where there is no PostgreSQL. */
    Postgres() throws Exception {
        assumeTrue(
                Files.isExecutable(PROGRAMS.resolve("postgres")),
                "PostgreSQL 15 is not installed: apt-get install postgresql-15");
        // Where its own user may go; a target directory may be closed to it.
        directory = Files.createTempDirectory("georep-postgres");
        if (isRoot()) {
            Files.setOwner(
                    directory,
                    directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("postgres"));
        }
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        run("initdb", "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "-D", data());
    }

    private String data() {
        return directory.resolve("data").toString();
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** It refuses to run as root. */
    private static ProcessBuilder program(String name, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (isRoot()) {
            command.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"));
        }
        command.add(PROGRAMS.resolve(name).toString());
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .directory(Path.of("/").toFile());
    }

    private static void run(String name, String... arguments) throws Exception {
        Process run = program(name, List.of(arguments)).start();
        String output = new String(run.getInputStream().readAllBytes());
        if (!run.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || run.exitValue() != 0) {
            run.destroyForcibly();
            throw new IOException(name + ": " + output);
        }
    }

    int port() {
        return port;
    }

    void start() throws Exception {
        Path log = Files.createDirectories(Path.of("target", "hosts")).resolve("postgres-" + port + ".log");
        process = program(
                        "postgres",
                        List.of(
                                "-D", data(),
                                "-p", Integer.toString(port),
                                "-c", "listen_addresses=127.0.0.1",
                                "-c", "unix_socket_directories=",
                                "-c", "wal_level=logical"))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (true) {
            try (Connection ignored = connect("postgres")) {
                return;
            } catch (SQLException e) {
                if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                    throw new IOException("PostgreSQL does not answer, see " + log.toAbsolutePath(), e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    /** At once, as a crash of the server would: what is committed is there after the next start. */
    void stop() throws Exception {
        if (process != null && process.isAlive()) {
            new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(url(database), "postgres", "unused");
    }

    String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    void execute(String database, String... statements) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    /** The first column of all rows. */
    List<String> read(String database, String query) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        return values;
    }

    @Override
    public void close() throws Exception {
        stop();
        try (var files = Files.walk(directory)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
