package io.georep.examples.host;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Three hosts in processes of their own, which keep two copies of each entry. */
final class Hosts implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<HostProcess> nodes = new ArrayList<>();

    /** Starts them with these settings, without waiting. Logs and stores are in a directory of this name below target. */
    Hosts(String name, Map<String, String> settings) throws IOException {
        this(name, List.of(), settings);
    }

    /** The same, with options of the JVM. */
    Hosts(String name, List<String> jvm, Map<String, String> settings) throws IOException {
        Path directory = Files.createTempDirectory(Files.createDirectories(Path.of("target", "hosts")), name);
        for (String id : List.of("ams", "nyc", "sgp")) {
            nodes.add(new HostProcess(id, directory.toAbsolutePath(), ExtractedHost.program()));
        }
        nodes.forEach(each -> each.configure(nodes, jvm, settings));
        nodes.forEach(HostProcess::start);
    }

    /** Settings of a connector, as properties of Spring Boot. */
    static Map<String, String> connector(String name, Map<String, String> settings) {
        Map<String, String> properties = new LinkedHashMap<>();
        settings.forEach((key, value) -> properties.put("georep.connectors." + name + "." + key, value));
        return properties;
    }

    List<HostProcess> all() {
        return nodes;
    }

    HostProcess node(int index) {
        return nodes.get(index);
    }

    /** Waits until all take entries; starts those again that do not live. */
    void awaitReady() {
        nodes.stream().filter(each -> !each.alive()).forEach(HostProcess::start);
        nodes.forEach(HostProcess::awaitReady);
    }

    /** Does something to a connector on all nodes that live. */
    void changeAll(String connector, String action) throws IOException {
        for (HostProcess node : nodes) {
            if (node.alive()) {
                node.change(connector, action);
            }
        }
    }

    /** Waits until no node runs this connector, after all were told to stop it. */
    void awaitStopped(String connector) {
        await(connector + " to be stopped").atMost(PATIENCE).until(() -> {
            for (HostProcess node : nodes) {
                if (node.alive() && !node.state(connector).equals("STOPPED")) {
                    return false;
                }
            }
            return true;
        });
    }

    /** The node on which a source runs. */
    HostProcess runs(String source) {
        HostProcess[] found = new HostProcess[1];
        await("a node to run " + source).atMost(PATIENCE).until(() -> {
            for (HostProcess node : nodes) {
                if (node.alive() && isRunning(node, source)) {
                    found[0] = node;
                }
            }
            return found[0] != null;
        });
        return found[0];
    }

    private static boolean isRunning(HostProcess node, String source) {
        try {
            return node.state(source).equals("RUNNING");
        } catch (IOException e) {
            return false;
        }
    }

    /** Waits until no node has anything of this outbox to forward. */
    void awaitEmpty(String outbox) {
        await("outbox " + outbox + " to be empty")
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> {
                    for (HostProcess node : nodes) {
                        if (node.backlog(outbox) > 0) {
                            return false;
                        }
                    }
                    return true;
                });
    }

    @Override
    public void close() {
        nodes.stream().filter(HostProcess::alive).forEach(HostProcess::kill);
    }
}
