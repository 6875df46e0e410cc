package io.georep.comparison;

import io.georep.model.Durability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;

/** Three brokers of Kafka that are controllers as well, each in a JVM. */
final class KafkaServers {
    static final int PORT = 9092;
    private static final int CONTROLLER_PORT = 9093;

    private KafkaServers() {}

    /** Starts them and waits until all run. With {@code FSYNC} a log is synced after each message, which Kafka does not by itself. */
    static void start(QueueServers servers, List<String> hosts, Durability level, int startSeconds)
            throws IOException, InterruptedException {
        Path directory = servers.directory();
        Path classPath = directory.resolve("class-path.args");
        Files.writeString(
                classPath,
                "-cp \"" + System.getProperty("java.class.path").replace("\\", "\\\\") + "\"\n",
                StandardCharsets.UTF_8);
        String cluster = Uuid.randomUuid().toString();
        List<Process> started = new ArrayList<>();
        for (int i = 0; i < hosts.size(); i++) {
            Path properties = directory.resolve("server-" + hosts.get(i) + ".properties");
            Files.write(properties, settings(directory, hosts, i, level));
            servers.run(
                    "format",
                    java(classPath, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", properties.toString()),
                    Map.of());
            started.add(servers.start(
                    hosts.get(i), java(classPath, "kafka.Kafka", properties.toString()), new HashMap<>()));
        }
        for (int i = 0; i < hosts.size(); i++) {
            servers.awaitLog(hosts.get(i), started.get(i), "Kafka Server started", startSeconds);
        }
    }

    private static List<String> java(Path classPath, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + classPath,
                "-Xmx512m",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=info"));
        command.addAll(List.of(arguments));
        return command;
    }

    private static List<String> settings(Path directory, List<String> hosts, int index, Durability level) {
        String host = hosts.get(index);
        String voters = IntStream.range(0, hosts.size())
                .mapToObj(each -> each + "@" + hosts.get(each) + ":" + CONTROLLER_PORT)
                .collect(Collectors.joining(","));
        List<String> settings = new ArrayList<>(List.of(
                "process.roles = broker,controller",
                "node.id = " + index,
                "controller.quorum.voters = " + voters,
                "controller.listener.names = CONTROLLER",
                "listeners = PLAINTEXT://" + host + ":" + PORT + ",CONTROLLER://" + host + ":" + CONTROLLER_PORT,
                "advertised.listeners = PLAINTEXT://" + host + ":" + PORT,
                "listener.security.protocol.map = PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "log.dirs = " + directory.resolve("data-" + host),
                "auto.create.topics.enable = false",
                "min.insync.replicas = 2",
                "offsets.topic.replication.factor = 3",
                "offsets.topic.num.partitions = 3"));
        if (level == Durability.FSYNC) {
            settings.add("log.flush.interval.messages = 1");
        }
        return settings;
    }
}
