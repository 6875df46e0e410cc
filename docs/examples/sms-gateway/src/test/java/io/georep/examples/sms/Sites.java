package io.georep.examples.sms;

import io.georep.GeoRepNode;
import io.georep.examples.sms.demo.FreePort;
import io.georep.examples.sms.demo.SmppClient;
import io.georep.examples.sms.operator.OperatorLink;
import io.georep.examples.sms.simulator.OperatorSimulator;
import io.georep.examples.sms.smpp.SmppServer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Gateways of several sites and their operator in this JVM, over loopback, with short time-outs. */
final class Sites implements AutoCloseable {
    /** The account of the clients. */
    static final String ACCOUNT = "client";

    /** Its password. */
    static final String PASSWORD = "pw-1234";

    private static final List<String> NAMES = List.of("ams", "nyc", "sgp");

    private final Set<String> texts = ConcurrentHashMap.newKeySet();
    private final Queue<Sms> messages = new ConcurrentLinkedQueue<>();
    private final Queue<OperatorSimulator.Received> received = new ConcurrentLinkedQueue<>();
    private final OperatorSimulator operator = OperatorSimulator.open("localhost", 0, NAMES, "secret", each -> {
        texts.add(each.sms().text());
        messages.add(each.sms());
        received.add(each);
    });
    private final List<Integer> ports;
    private final Path directory;
    private final String[] properties;
    private final BiConsumer<Integer, GenericApplicationContext> beans;
    private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

    private Sites(
            List<Integer> ports,
            Path directory,
            BiConsumer<Integer, GenericApplicationContext> beans,
            String... properties) {
        this.ports = ports;
        this.directory = directory;
        this.beans = beans;
        this.properties = properties;
    }

    /**
     * Starts this many gateways; with more than one, waits until each can make a copy.
     *
     * @param properties with {site} for the name of the gateway's site, and {port0} for the port of the first gateway's node
     */
    static Sites start(int count, Path directory, String... properties) throws IOException {
        return start(count, directory, (index, context) -> {}, properties);
    }

    /** The same, after adding beans to the context of each gateway. */
    static Sites start(
            int count, Path directory, BiConsumer<Integer, GenericApplicationContext> beans, String... properties)
            throws IOException {
        Sites sites = new Sites(freePorts(count), directory, beans, properties);
        try {
            for (int i = 0; i < count; i++) {
                sites.contexts.add(sites.gateway(i));
            }
            if (count > 1) {
                for (int i = 0; i < count; i++) {
                    GeoRepNode node = sites.node(i);
                    Await.until(node + " to be ready", () -> node.ready(1));
                }
            }
        } catch (RuntimeException e) {
            sites.close();
            throw e;
        }
        return sites;
    }

    private ConfigurableApplicationContext gateway(int index) {
        ApplicationContextInitializer<ConfigurableApplicationContext> initializer =
                context -> beans.accept(index, (GenericApplicationContext) context);
        String name = NAMES.get(index);
        List<String> arguments = new ArrayList<>(List.of(
                "spring.profiles.active=" + name,
                "spring.main.banner-mode=off",
                "spring.jmx.enabled=false",
                "server.port=0",
                "management.server.port=0",
                "sms.accounts." + ACCOUNT + ".password=" + PASSWORD,
                "sms.operator.password=secret",
                "sms.smpp.port=0",
                "sms.operator.host=localhost",
                "sms.operator.port=" + operator.port(),
                "sms.operator.system-id=" + name,
                "sms.operator.reconnect-min=20ms",
                "georep.host=localhost",
                "georep.port=" + ports.get(index),
                "georep.advertise=localhost:" + ports.get(index),
                "georep.seeds="
                        + ports.stream()
                                .filter(port -> !port.equals(ports.get(index)))
                                .map(port -> "localhost:" + port)
                                .collect(Collectors.joining(",")),
                "georep.data-dir=" + directory.resolve(name),
                "georep.expected-away=0s",
                "georep.protocol.heartbeat=100ms",
                "georep.protocol.heartbeat-away=200ms",
                "georep.protocol.suspect-after=2s",
                "georep.protocol.terminate-after=500ms",
                "georep.protocol.put-timeout=1500ms"));
        for (String property : properties) {
            String here = property.replace("{site}", name);
            for (int i = 0; i < ports.size(); i++) {
                here = here.replace("{port" + i + "}", String.valueOf(ports.get(i)));
            }
            arguments.add(here);
        }
        // A later argument replaces an earlier one of the same name; Spring would make a list of both.
        Map<String, String> last = new LinkedHashMap<>();
        arguments.forEach(each -> last.put(each.substring(0, each.indexOf('=')), "--" + each));
        return new SpringApplicationBuilder(SmsGatewayApplication.class)
                .initializers(initializer)
                .run(last.values().toArray(String[]::new));
    }

    private static List<Integer> freePorts(int count) throws IOException {
        Set<Integer> ports = new LinkedHashSet<>();
        while (ports.size() < count) {
            ports.add(FreePort.find());
        }
        return List.copyOf(ports);
    }

    OperatorSimulator operator() {
        return operator;
    }

    /** Texts the operator took. */
    Set<String> texts() {
        return texts;
    }

    /** Messages the operator took. */
    Queue<Sms> messages() {
        return messages;
    }

    /** The same, with the operator's ids. */
    Queue<OperatorSimulator.Received> received() {
        return received;
    }

    /** Starts a gateway again with its store, which may run, or was stopped or crashed. */
    void restart(int site) {
        shutDown(site);
        contexts.set(site, gateway(site));
        Await.until("the gateway to be ready again", () -> node(site).ready(1));
    }

    GeoRepNode node(int site) {
        return contexts.get(site).getBean(GeoRepNode.class);
    }

    /** A bean of a gateway. */
    <T> T bean(int site, Class<T> type) {
        return contexts.get(site).getBean(type);
    }

    int smppPort(int site) {
        return contexts.get(site).getBean(SmppServer.class).port();
    }

    /** A client bound to a gateway. */
    SmppClient client(int site) throws IOException {
        return SmppClient.bind(smppPort(site), ACCOUNT, PASSWORD, Duration.ofSeconds(Await.SECONDS_MAX));
    }

    /** Posts to {@code /messages} of a gateway. */
    HttpResponse<String> post(int site, String json) throws IOException, InterruptedException {
        return post(site, ACCOUNT, PASSWORD, json);
    }

    /** The same, as another account. */
    HttpResponse<String> post(int site, String account, String password, String json)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + httpPort(site) + "/messages"))
                .timeout(Duration.ofSeconds(Await.SECONDS_MAX))
                .header("authorization", "Basic " + base64(account + ":" + password))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        return send(request);
    }

    /** Over a connection of its own: a gateway may just be closing one that was used before. */
    private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    int httpPort(int site) {
        return port(site, "local.server.port");
    }

    int managementPort(int site) {
        return port(site, "local.management.port");
    }

    private int port(int site, String property) {
        return contexts.get(site).getEnvironment().getRequiredProperty(property, Integer.class);
    }

    /** Whether somebody listens at an address of this machine. */
    static boolean answers(String address, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), (int) Await.SECONDS_MAX * 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Status of a page of the management port. */
    int probe(int site, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:" + managementPort(site) + path);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .timeout(Duration.ofSeconds(Await.SECONDS_MAX))
                .build();
        return send(request).statusCode();
    }

    /** Asks something of the management port. */
    HttpResponse<String> manage(int site, String method, String path, String name, String password, String json)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:" + port(site, "local.management.port") + path);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .timeout(Duration.ofSeconds(Await.SECONDS_MAX))
                .header("authorization", "Basic " + base64(name + ":" + password))
                .header("content-type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(json))
                .build();
        return send(request);
    }

    /** Sum of a counter of a gateway over all its tags. */
    double count(int site, String counter) {
        return contexts.get(site).getBean(MeterRegistry.class).find(counter).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    /** What a counter of a gateway says for this tag. */
    double count(int site, String counter, String tag, String value) {
        return contexts.get(site).getBean(MeterRegistry.class).find(counter).tag(tag, value).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    /** Value of a gauge of a gateway. */
    double gauge(int site, String gauge) {
        return contexts.get(site)
                .getBean(MeterRegistry.class)
                .get(gauge)
                .gauge()
                .value();
    }

    /** How often a timer of a gateway was used with this tag. */
    long timed(int site, String timer, String tag, String value) {
        return contexts.get(site).getBean(MeterRegistry.class).find(timer).tag(tag, value).timers().stream()
                .mapToLong(Timer::count)
                .sum();
    }

    /** Stops a gateway in order, as SIGTERM would. */
    void shutDown(int site) {
        contexts.get(site).close();
    }

    /** Lets a gateway fall silent on all sides, as a crash of its machine would. */
    void crash(int site) {
        contexts.get(site).getBean(OperatorLink.class).stop();
        node(site).halt();
        contexts.get(site).close();
    }

    @Override
    public void close() {
        contexts.stream()
                .filter(ConfigurableApplicationContext::isActive)
                .forEach(context -> context.getBean(GeoRepNode.class).halt());
        contexts.forEach(ConfigurableApplicationContext::close);
        operator.close();
    }
}
