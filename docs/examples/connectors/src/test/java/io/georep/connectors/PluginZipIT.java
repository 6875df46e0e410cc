package io.georep.connectors;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code mvnw package} makes runs where there is nothing else but the API of Kafka Connect. */
final class PluginZipIT {
    private static final List<String> HOSTS = List.of("connect-api", "kafka-clients", "slf4j-api");

    @Test
    void hasAllThatTheConnectorsNeed(@TempDir Path directory) throws Exception {
        List<URL> jars = new ArrayList<>();
        for (Path jar : unpacked(zip(), directory)) {
            jars.add(jar.toUri().toURL());
        }
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = Path.of(each).getFileName().toString();
            if (HOSTS.stream().anyMatch(name::startsWith)) {
                jars.add(Path.of(each).toUri().toURL());
            }
        }
        try (URLClassLoader alone =
                new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Class<?> api = alone.loadClass("org.apache.kafka.connect.sink.SinkConnector");
            List<String> startable = new ArrayList<>();
            Thread.currentThread().setContextClassLoader(alone);
            for (Object connector : ServiceLoader.load(api, alone)) {
                Class<?> task =
                        (Class<?>) connector.getClass().getMethod("taskClass").invoke(connector);
                Object instance = task.getConstructor().newInstance();
                task.getMethod("start", Map.class)
                        .invoke(
                                instance,
                                Map.of(
                                        "webhook.url", "http://localhost",
                                        "smtp.host", "localhost",
                                        "smtp.from", "a@example.com",
                                        "mqtt.host", "localhost",
                                        "rabbitmq.host", "localhost",
                                        "kafka.bootstrap.servers", "localhost:1",
                                        "jms.url", "tcp://localhost:1",
                                        "jms.destination", "queue"));
                task.getMethod("stop").invoke(instance);
                startable.add(task.getSimpleName());
            }
            assertThat(startable)
                    .containsExactlyInAnyOrder(
                            "WebhookSinkTask",
                            "SmtpSinkTask",
                            "JmsSinkTask",
                            "KafkaSinkTask",
                            "MqttSinkTask",
                            "RabbitSinkTask");
        } finally {
            Thread.currentThread().setContextClassLoader(PluginZipIT.class.getClassLoader());
        }
    }

    private static Path zip() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            return files.filter(each -> each.getFileName().toString().matches("georep-connectors-.*\\.zip"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static List<Path> unpacked(Path zip, Path directory) throws IOException {
        List<Path> jars = new ArrayList<>();
        try (FileSystem files = FileSystems.newFileSystem(zip);
                Stream<Path> entries = Files.list(files.getPath("georep-connectors"))) {
            for (Path entry : entries.toList()) {
                jars.add(Files.copy(entry, directory.resolve(entry.getFileName().toString())));
            }
        }
        return jars;
    }
}
