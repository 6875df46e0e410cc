package io.georep.comparison;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Three brokers of Kafka that are their own controllers, from its libraries. */
final class KafkaServers {
    static final int PORT = 9092;
    static final int COPIES_MIN = 2;
    private static final int CONTROLLERS = 9093;
    private static final String STARTED = "Kafka Server started";

    /** Any identifier will do. */
    private static final String CLUSTER = "Q29tcGFyaXNvbkNsdXN0Zg";

    private KafkaServers() {}

    /**
     * Starts them and waits until all run.
     *
     * @param sync whether each message is synced before it is acknowledged; by default the operating system does so in its time
     */
    static void start(QueueServers servers, List<String> hosts, boolean sync, int startSeconds)
            throws IOException, InterruptedException {
        Path classPath = servers.directory().resolve("class-path.args");
        Files.writeString(
                classPath,
                "-cp \"" + System.getProperty("java.class.path").replace("\\", "\\\\") + "\"\n",
                StandardCharsets.UTF_8);
        List<Process> started = new ArrayList<>();
        for (int i = 0; i < hosts.size(); i++) {
            Path settings = servers.directory().resolve(hosts.get(i) + ".properties");
            Files.write(settings, settings(servers.directory(), hosts, i, sync));
            servers.run(
                    "format",
                    java(classPath, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", settings.toString()),
                    Map.of());
            started.add(servers.start(hosts.get(i), java(classPath, "kafka.Kafka", settings.toString()), Map.of()));
        }
        for (int i = 0; i < hosts.size(); i++) {
            servers.awaitLog(hosts.get(i), started.get(i), STARTED, startSeconds);
        }
    }

    private static List<String> java(Path classPath, String... mainAndArguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + classPath,
                "-Xmx512m",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-Dorg.slf4j.simpleLogger.log.kafka.server=info"));
        command.addAll(List.of(mainAndArguments));
        return command;
    }

    private static List<String> settings(Path directory, List<String> hosts, int index, boolean sync) {
        String host = hosts.get(index);
        String voters = IntStream.range(0, hosts.size())
                .mapToObj(each -> (each + 1) + "@" + hosts.get(each) + ":" + CONTROLLERS)
                .collect(Collectors.joining(","));
        List<String> settings = new ArrayList<>(List.of(
                "process.roles=broker,controller",
                "node.id=" + (index + 1),
                "controller.quorum.voters=" + voters,
                "controller.listener.names=CONTROLLER",
                "listeners=PLAINTEXT://" + host + ":" + PORT + ",CONTROLLER://" + host + ":" + CONTROLLERS,
                "advertised.listeners=PLAINTEXT://" + host + ":" + PORT,
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "log.dirs=" + directory.resolve("data-" + host),
                "default.replication.factor=" + hosts.size(),
                "min.insync.replicas=" + COPIES_MIN,
                "offsets.topic.replication.factor=" + hosts.size(),
                "offsets.topic.num.partitions=3",
                "transaction.state.log.replication.factor=" + hosts.size(),
                "transaction.state.log.min.isr=" + COPIES_MIN,
                "share.coordinator.state.topic.replication.factor=" + hosts.size(),
                "group.initial.rebalance.delay.ms=0",
                "auto.create.topics.enable=false"));
        if (sync) {
            settings.add("log.flush.interval.messages=1");
        }
        return settings;
    }
}
