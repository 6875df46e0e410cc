package io.georep.comparison;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** PostgreSQL, as Debian packages it: a primary on the first host and synchronous standbys on the others, one of which must have each commit. */
final class PostgresServers {
    static final int PORT = 5433;
    static final String USER = "postgres";
    private static final Path VERSIONS = Path.of("/usr/lib/postgresql");
    private static final String READY = "database system is ready to accept";

    private PostgresServers() {}

    /** The directory with the programs of the latest version; null if there is none. */
    static @Nullable Path binaries() {
        if (!Files.isDirectory(VERSIONS)) {
            return null;
        }
        try (DirectoryStream<Path> versions = Files.newDirectoryStream(VERSIONS)) {
            return StreamSupport.stream(versions.spliterator(), false)
                    .map(version -> version.resolve("bin"))
                    .filter(binaries -> Files.isExecutable(binaries.resolve("postgres")))
                    .max(Comparator.naturalOrder())
                    .orElse(null);
        } catch (IOException e) {
            return null;
        }
    }

    /** Starts them and waits until all run. */
    static void start(QueueServers servers, List<String> hosts, int startSeconds)
            throws IOException, InterruptedException {
        Path root = servers.directory();
        if (root()) {
            // The server does not run as root, so its user must come through here, and own what is its.
            Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxrwxrwx"));
            for (Path above = root.getParent(); above != null && above.startsWith(tmp()); above = above.getParent()) {
                if (!above.equals(tmp())) {
                    Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwx--x--x"));
                }
            }
        }
        Path primary = root.resolve("data-" + hosts.get(0));
        servers.run(
                "initdb",
                command("initdb", "-D", primary.toString(), "-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8"),
                Map.of());
        Files.write(
                primary.resolve("postgresql.conf"), settings(hosts), StandardCharsets.UTF_8, StandardOpenOption.APPEND);
        Files.write(
                primary.resolve("pg_hba.conf"),
                List.of("host all all 127.0.0.0/8 trust", "host replication all 127.0.0.0/8 trust"),
                StandardCharsets.UTF_8,
                StandardOpenOption.APPEND);
        run(servers, hosts.get(0), primary, startSeconds);
        for (String host : hosts.subList(1, hosts.size())) {
            Path standby = root.resolve("data-" + host);
            servers.run(
                    "pg_basebackup",
                    command(
                            "pg_basebackup",
                            "-D",
                            standby.toString(),
                            "-d",
                            "host=" + hosts.get(0) + " port=" + PORT + " user=" + USER + " application_name="
                                    + standbyName(host),
                            "-R",
                            "--no-sync",
                            "--checkpoint=fast",
                            "-X",
                            "stream"),
                    Map.of());
            run(servers, host, standby, startSeconds);
        }
    }

    private static void run(QueueServers servers, String host, Path data, int startSeconds)
            throws IOException, InterruptedException {
        Process process = servers.start(
                host, command("postgres", "-D", data.toString(), "-c", "listen_addresses=" + host), Map.of());
        servers.awaitLog(host, process, READY, startSeconds);
    }

    private static List<String> settings(List<String> hosts) {
        String standbys = String.join(
                ",",
                hosts.subList(1, hosts.size()).stream()
                        .map(PostgresServers::standbyName)
                        .toList());
        return List.of(
                "port = " + PORT,
                "unix_socket_directories = ''",
                "max_connections = 300",
                "shared_buffers = '256MB'",
                "max_wal_size = '4GB'",
                "wal_compression = 'lz4'",
                "synchronous_commit = on",
                "synchronous_standby_names = 'ANY 1 (" + standbys + ")'",
                // A table through which everything runs must be cleaned often.
                "autovacuum_naptime = 1",
                "autovacuum_vacuum_scale_factor = 0",
                "autovacuum_vacuum_threshold = 10000",
                "autovacuum_vacuum_cost_delay = 0");
    }

    private static String standbyName(String host) {
        return "standby_" + host.substring(host.lastIndexOf('.') + 1);
    }

    /** As the user of the package, if this is root. */
    private static List<String> command(String program, String... arguments) {
        List<String> command = new ArrayList<>();
        if (root()) {
            command.addAll(List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups"));
        }
        command.add(String.valueOf(binaries()) + "/" + program);
        command.addAll(List.of(arguments));
        return command;
    }

    private static Path tmp() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    private static boolean root() {
        return System.getProperty("user.name").equals("root");
    }
}
