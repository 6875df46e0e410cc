package io.georep.examples.sms.demo;

import io.georep.examples.sms.SmsGatewayApplication;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One gateway in a JVM of its own. */
final class GatewayProcess {
    /** Of the client and of the gateways at the operator, as long as the demo runs. */
    static final String PASSWORD = Long.toString(ThreadLocalRandom.current().nextLong(1 << 30), Character.MAX_RADIX);

    private static final Pattern VALUE = Pattern.compile("\"value\":([0-9.E]+)");

    private final String site;
    private final int georepPort = freePort();
    private final int smppPort = freePort();
    private final int httpPort = freePort();
    private final int managementPort = freePort();
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private int dialledPort = georepPort;
    private @Nullable ProcessBuilder builder;
    private @Nullable Process process;

    private GatewayProcess(String site) {
        this.site = site;
    }

    /** Starts one gateway per site. */
    static List<GatewayProcess> start(List<String> sites, int operatorPort, Path directory, String... properties)
            throws IOException {
        return start(sites, IntUnaryOperator.identity(), operatorPort, directory, properties);
    }

    /** The same, where the others dial other ports than those that gateways listen at. */
    static List<GatewayProcess> start(
            List<String> sites, IntUnaryOperator dialled, int operatorPort, Path directory, String... properties)
            throws IOException {
        List<GatewayProcess> gateways = new ArrayList<>();
        sites.forEach(site -> gateways.add(new GatewayProcess(site)));
        gateways.forEach(each -> each.dialledPort = dialled.applyAsInt(each.georepPort));
        for (GatewayProcess gateway : gateways) {
            gateway.launch(gateways, operatorPort, directory, properties);
        }
        return gateways;
    }

    private void launch(List<GatewayProcess> all, int operatorPort, Path directory, String... properties)
            throws IOException {
        List<String> seeds = all.stream()
                .filter(each -> each != this)
                .map(each -> "localhost:" + each.dialledPort)
                .toList();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--"))
                .forEach(command::add);
        command.addAll(List.of(
                "-Xmx192m",
                "-XX:TieredStopAtLevel=1",
                "-classpath",
                System.getProperty("java.class.path"),
                SmsGatewayApplication.class.getName(),
                "--spring.profiles.active=" + site,
                "--server.port=" + httpPort,
                "--management.server.port=" + managementPort,
                "--sms.accounts.client.sessions-max=1000",
                "--sms.accounts.client.rate=0",
                "--sms.smpp.port=" + smppPort,
                "--sms.operator.host=localhost",
                "--sms.operator.port=" + operatorPort,
                "--georep.port=" + georepPort,
                "--georep.advertise=localhost:" + dialledPort,
                "--georep.seeds=" + String.join(",", seeds),
                "--georep.data-dir=" + directory.resolve(site),
                // A dead gateway is given up after three seconds instead of half a minute.
                "--georep.protocol.heartbeat=200ms",
                "--georep.protocol.heartbeat-away=500ms",
                "--georep.protocol.suspect-after=2s",
                "--georep.protocol.terminate-after=1s",
                "--georep.protocol.put-timeout=1500ms"));
        Stream.of(properties).map(each -> "--" + each).forEach(command::add);
        builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log(directory).toFile()));
        builder.environment().put("SMS_ACCOUNTS_CLIENT_PASSWORD", PASSWORD);
        builder.environment().put("SMS_OPERATOR_PASSWORD", PASSWORD);
        process = builder.start();
    }

    /** Starts it again with its store. */
    void restart() throws IOException {
        process = Objects.requireNonNull(builder, "not launched").start();
    }

    private Process process() {
        return Objects.requireNonNull(process, "not launched");
    }

    private Path log(Path directory) {
        return directory.resolve(site + ".log");
    }

    String site() {
        return site;
    }

    /** Name of its node, with which the ids of its entries begin. */
    String nodeId() {
        return site + "-1";
    }

    int smppPort() {
        return smppPort;
    }

    int httpPort() {
        return httpPort;
    }

    int managementPort() {
        return managementPort;
    }

    long pid() {
        return process().pid();
    }

    boolean alive() {
        return process().isAlive();
    }

    /** Returns whether it takes messages now. */
    boolean ready() {
        if (!alive()) {
            throw new DemoFailure(
                    "The gateway " + site + " ended with exit code " + process().exitValue());
        }
        try {
            return get("/actuator/health/readiness").statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** Value of a counter, 0 when it does not know it. */
    long counter(String name) {
        try {
            Matcher value = VALUE.matcher(get("/actuator/metrics/" + name).body());
            return value.find() ? (long) Double.parseDouble(value.group(1)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    private HttpResponse<String> get(String path) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + managementPort + path))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** SIGKILL: the process gets no chance to say anything. */
    void kill() {
        process().destroyForcibly().onExit().join();
    }

    /** SIGTERM, and SIGKILL when that does not help in time. */
    void stop(Duration atMost) throws InterruptedException {
        process().destroy();
        if (!process().waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
            kill();
        }
    }

    private static int freePort() {
        try {
            return FreePort.find();
        } catch (IOException e) {
            throw new DemoFailure("There is no free port: " + e.getMessage());
        }
    }
}
