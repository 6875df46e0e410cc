package io.georep.examples.host;

import static org.awaitility.Awaitility.await;

import io.georep.connectors.FreePort;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A connector host in a process of its own. */
final class HostProcess {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();

    private final String id;
    private final Path directory;
    private final List<String> program;
    private final int georepPort = FreePort.find();
    private final int httpPort = FreePort.find();
    private final int managementPort = FreePort.find();
    private final JsonMapper json = new JsonMapper();
    private List<String> command = List.of();
    private Process process;

    /** From the jar that users run; not started. */
    HostProcess(String id, Path directory) {
        this(id, directory, List.of("-jar", ExtractedHost.JAR.toString()));
    }

    /** From a program of the JVM; not started. */
    HostProcess(String id, Path directory, List<String> program) {
        this.id = id;
        this.directory = directory;
        this.program = program;
    }

    String id() {
        return id;
    }

    /** Says how to run it; {@code <node>} in a value stands for its id. */
    void configure(List<HostProcess> all, List<String> jvm, Map<String, String> properties) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(ExtractedHost.JVM);
        words.addAll(jvm);
        words.addAll(program);
        String seeds = all.stream()
                .filter(each -> each != this)
                .map(each -> "localhost:" + each.georepPort)
                .collect(Collectors.joining(","));
        // One value for each name: Spring makes a list of several.
        Map<String, String> arguments = new LinkedHashMap<>();
        arguments.put("spring.main.banner-mode", "off");
        arguments.put("server.port", Integer.toString(httpPort));
        arguments.put("management.server.port", Integer.toString(managementPort));
        arguments.put("management.endpoint.georep.access", "unrestricted");
        arguments.put("georep.node-id", id);
        arguments.put("georep.site", "site-" + id);
        arguments.put("georep.port", Integer.toString(georepPort));
        arguments.put("georep.advertise", "localhost:" + georepPort);
        arguments.put("georep.seeds", seeds);
        arguments.put("georep.data-dir", directory.resolve(id).toString());
        // A dead node is given up after three seconds instead of half a minute.
        arguments.put("georep.protocol.heartbeat", "200ms");
        arguments.put("georep.protocol.heartbeat-away", "500ms");
        arguments.put("georep.protocol.suspect-after", "2s");
        arguments.put("georep.protocol.terminate-after", "1s");
        arguments.put("georep.protocol.put-timeout", "1500ms");
        properties.forEach((key, value) -> arguments.put(key, value.replace("<node>", id)));
        arguments.forEach((key, value) -> words.add("--" + key + "=" + value));
        command = List.copyOf(words);
    }

    void start() {
        File log = directory.resolve(id + ".log").toFile();
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it takes entries, that is until f other nodes can take copies. */
    void awaitReady() {
        await(id + " to be ready, see " + directory.resolve(id + ".log"))
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    if (!process.isAlive()) {
                        throw new IllegalStateException(id + " ended with " + process.exitValue() + ": " + log());
                    }
                    return isReady();
                });
    }

    private boolean isReady() {
        try {
            return get("/actuator/health/readiness").statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    String log() throws IOException {
        return Files.readString(directory.resolve(id + ".log"));
    }

    boolean alive() {
        return process != null && process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** SIGKILL: the process gets no chance to say anything. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** SIGTERM, and SIGKILL when that does not help in time. */
    void stop() throws InterruptedException {
        if (alive()) {
            process.destroy();
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                kill();
            }
        }
    }

    /** Sends an entry; the answer's body is its id. */
    CompletableFuture<HttpResponse<String>> post(String outbox, String payload) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + httpPort + "/entries/" + outbox))
                .timeout(Duration.ofSeconds(10))
                .POST(BodyPublishers.ofString(payload))
                .build();
        return HTTP.sendAsync(request, BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws IOException {
        return send(HttpRequest.newBuilder(management(path)).GET());
    }

    /** What an endpoint says. */
    JsonNode read(String path) throws IOException {
        HttpResponse<String> response = get(path);
        if (response.statusCode() != 200) {
            throw new IOException(path + " at " + id + ": " + response.statusCode() + " " + response.body());
        }
        return json.readTree(response.body());
    }

    /** Does something to a connector: pause, resume, restart or stop. */
    void change(String connector, String action) throws IOException {
        HttpResponse<String> response =
                send(HttpRequest.newBuilder(management("/actuator/georep/connectors/" + connector))
                        .header("content-type", "application/json")
                        .POST(BodyPublishers.ofString("{\"action\": \"" + action + "\"}")));
        if (response.statusCode() != 200) {
            throw new IOException(action + " at " + id + ": " + response.statusCode() + " " + response.body());
        }
    }

    private URI management(String path) {
        return URI.create("http://localhost:" + managementPort + path);
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
        try {
            return HTTP.send(request.timeout(Duration.ofSeconds(10)).build(), BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Entries of an outbox that it may forward and has not. */
    long backlog(String outbox) throws IOException {
        return read("/actuator/georep/outboxes").path(outbox).path("backlog").asLong(0);
    }

    /** The state of a connector, or of its only task, whichever is worse. */
    String state(String connector) throws IOException {
        JsonNode status = read("/actuator/georep/connectors/" + connector);
        String state = status.path("state").asString();
        JsonNode task = status.path("tasks").path(0);
        return state.equals("RUNNING") && !task.isMissingNode()
                ? task.path("state").asString()
                : state;
    }
}
