package io.georep.comparison;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Three nodes of RabbitMQ, as Debian packages it, with a port mapper of their own. */
final class RabbitServers {
    static final Path BINARIES = Path.of("/usr/lib/rabbitmq/bin");
    static final int PORT = 5672;
    private static final int BETWEEN_NODES = 25672;

    private RabbitServers() {}

    /** Starts them and waits until all run: a node says so once it has joined the others. */
    static void start(QueueServers servers, List<String> hosts, int startSeconds)
            throws IOException, InterruptedException {
        Path directory = servers.directory();
        Path cookie = directory.resolve(".erlang.cookie");
        Files.writeString(cookie, "comparison");
        Files.setPosixFilePermissions(cookie, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(directory.resolve("plugins"), "[].");
        Files.writeString(directory.resolve("environment"), "");
        List<String> lines = new ArrayList<>(List.of("cluster_formation.peer_discovery_backend = classic_config"));
        for (int i = 0; i < hosts.size(); i++) {
            lines.add("cluster_formation.classic_config.nodes." + (i + 1) + " = " + name(hosts.get(i)));
        }
        Files.write(directory.resolve("rabbitmq.conf"), lines);
        String mapperPort = Integer.toString(freePort());
        Map<String, String> common = Map.of(
                "HOME", directory.toString(),
                "ERL_EPMD_PORT", mapperPort,
                "RABBITMQ_CONF_ENV_FILE", directory.resolve("environment").toString());
        servers.start(
                "epmd", List.of("epmd", "-port", mapperPort), Map.of("ERL_EPMD_ADDRESS", String.join(",", hosts)));
        List<Process> started = new ArrayList<>();
        for (String host : hosts) {
            Map<String, String> environment = new HashMap<>(common);
            environment.putAll(environment(directory, host));
            started.add(servers.start(
                    host, List.of(BINARIES.resolve("rabbitmq-server").toString()), environment));
        }
        for (int i = 0; i < hosts.size(); i++) {
            servers.awaitLog(hosts.get(i), started.get(i), "Server startup complete", startSeconds);
        }
    }

    private static Map<String, String> environment(Path directory, String host) throws IOException {
        Path own = Files.createDirectories(directory.resolve("data-" + host));
        return Map.of(
                "RABBITMQ_USE_LONGNAME", "true",
                "RABBITMQ_NODENAME", name(host),
                "RABBITMQ_NODE_IP_ADDRESS", host,
                "RABBITMQ_NODE_PORT", Integer.toString(PORT),
                "RABBITMQ_DIST_PORT", Integer.toString(BETWEEN_NODES + last(host)),
                "RABBITMQ_MNESIA_BASE", own.toString(),
                "RABBITMQ_LOGS", "-",
                "RABBITMQ_CONFIG_FILE", directory.resolve("rabbitmq.conf").toString(),
                "RABBITMQ_ENABLED_PLUGINS_FILE", directory.resolve("plugins").toString(),
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
                        "-kernel inet_dist_use_interface {" + host.replace('.', ',') + "}");
    }

    /** They share a port mapper, to which only what stands before the host is a name. */
    private static String name(String host) {
        return "peer" + last(host) + "@" + host;
    }

    private static int last(String host) {
        return Integer.parseInt(host.substring(host.lastIndexOf('.') + 1));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
