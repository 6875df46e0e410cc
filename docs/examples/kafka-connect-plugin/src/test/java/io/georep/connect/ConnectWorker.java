package io.georep.connect;

import static org.awaitility.Awaitility.await;

import io.georep.FreePort;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A distributed worker of Kafka Connect in a process of its own, which has the connectors as a plugin only. */
final class ConnectWorker implements AutoCloseable {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final List<String> NOT_OF_A_WORKER = List.of(
            "kafka-connect-plugin",
            "georep-",
            "classes",
            "test-classes",
            "netty-",
            "rocksdbjni",
            "surefire",
            "failsafe",
            "junit");

    private final String name;
    private final Path directory;
    private final int port = FreePort.find();
    private final Process process;

    /** Starts a worker; it is up some seconds later. */
    ConnectWorker(String name, Path directory, Path plugins, String brokers) throws IOException {
        this.name = name;
        this.directory = directory;
        Properties settings = new Properties();
        settings.put("bootstrap.servers", brokers);
        settings.put("group.id", "workers");
        settings.put("key.converter", ConnectorChecks.TEXTS);
        settings.put("value.converter", ConnectorChecks.TEXTS);
        for (String topic : List.of("offset", "config", "status")) {
            settings.put(topic + ".storage.topic", "connect-" + topic);
            settings.put(topic + ".storage.replication.factor", "1");
        }
        settings.put("offset.storage.partitions", "1");
        settings.put("status.storage.partitions", "1");
        settings.put("listeners", "http://127.0.0.1:" + port);
        settings.put("plugin.path", plugins.toString());
        settings.put("plugin.discovery", "service_load");
        settings.put("session.timeout.ms", "6000");
        settings.put("heartbeat.interval.ms", "1000");
        settings.put("scheduled.rebalance.max.delay.ms", "1000");
        settings.put("offset.flush.interval.ms", "1000");
        settings.put("config.providers", "env");
        settings.put("config.providers.env.class", "org.apache.kafka.common.config.provider.EnvVarConfigProvider");
        Path file = directory.resolve(name + ".properties");
        try (var out = Files.newOutputStream(file)) {
            settings.store(out, null);
        }
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-Dorg.slf4j.simpleLogger.log.io.georep=info",
                "-cp",
                classPath(),
                "org.apache.kafka.connect.cli.ConnectDistributed",
                file.toString());
        builder.environment().put("WORKER", name);
        builder.environment().put("DATA", directory.resolve("data-" + name).toString());
        builder.redirectErrorStream(true).redirectOutput(log().toFile());
        process = builder.start();
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(each -> NOT_OF_A_WORKER.stream()
                        .noneMatch(Path.of(each).getFileName().toString()::startsWith))
                .filter(each -> each.endsWith(".jar"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private Path log() {
        return directory.resolve(name + ".log");
    }

    String logged() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            return "";
        }
    }

    /** One request; the status and the answer, or nothing if the worker does not answer. */
    String request(String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Content-Type", "application/json")
                .timeout(Duration.ofSeconds(60))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> answer =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    ConnectWorker awaitUp() {
        await(name).atMost(LONG).until(() -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("worker " + name + " ended: " + logged());
            }
            return request("GET", "/connectors", "").startsWith("200");
        });
        return this;
    }

    /** As by {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** As by {@code kill}: its tasks stop first. */
    void stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("worker " + name + " does not stop: " + logged());
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
