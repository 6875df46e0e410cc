package io.georep.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.FreePort;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The zip has all that the tasks need where there is nothing else but the API of Kafka Connect, and nothing of that API. */
final class WorkerPluginIT {
    private static final List<String> HOSTS = List.of("connect-api", "kafka-clients", "slf4j-api");

    @Test
    void tasksRunOnWhatIsInIt(@TempDir Path directory) throws Exception {
        List<Path> plugin = PluginZip.unpack(directory);
        assertThat(plugin)
                .extracting(each -> each.getFileName().toString())
                .noneMatch(name -> HOSTS.stream().anyMatch(name::startsWith));
        List<URL> jars = new ArrayList<>();
        for (Path jar : plugin) {
            jars.add(jar.toUri().toURL());
        }
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = Path.of(each).getFileName().toString();
            if (HOSTS.stream().anyMatch(name::startsWith)) {
                jars.add(Path.of(each).toUri().toURL());
            }
        }
        int port = FreePort.findRange(2);
        try (URLClassLoader alone =
                new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            List<String> ran = new ArrayList<>();
            for (String kind : List.of("sink.SinkConnector", "source.SourceConnector")) {
                Class<?> api = alone.loadClass("org.apache.kafka.connect." + kind);
                for (Object connector : ServiceLoader.load(api, alone)) {
                    Class<?> task = (Class<?>)
                            connector.getClass().getMethod("taskClass").invoke(connector);
                    Object instance = task.getConstructor().newInstance();
                    task.getMethod("start", Map.class)
                            .invoke(
                                    instance,
                                    Map.of(
                                            "topics",
                                            "orders",
                                            "georep.queues",
                                            "orders",
                                            "georep.data.dir",
                                            directory.resolve("data").toString(),
                                            "georep.listen",
                                            "127.0.0.1:" + port + "-" + (port + 1),
                                            "georep.seeds",
                                            "127.0.0.1:" + port,
                                            "georep.stop.timeout.ms",
                                            "0"));
                    task.getMethod("stop").invoke(instance);
                    ran.add(task.getSimpleName());
                }
            }
            assertThat(Set.copyOf(ran)).containsExactlyInAnyOrder("GeoRepSinkTask", "GeoRepSourceTask");
        }
    }
}
