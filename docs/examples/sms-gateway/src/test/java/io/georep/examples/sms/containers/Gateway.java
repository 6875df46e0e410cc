package io.georep.examples.sms.containers;

import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Volume;
import io.georep.examples.sms.demo.SmppClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.testcontainers.containers.Network;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A gateway in a container. Messages that it is given are entered into a ledger, with the answer. */
final class Gateway extends Box {
    static final String PASSWORD = "secret12";
    static final String JVM = "-Xmx128m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto";

    /** What a first start leaves in the image, and all starts read. */
    static final String CLASSES = "/app/sms-gateway.jsa";

    /** Where a gateway listens for others. */
    static final int PEERS = 7400;

    private static final int HTTP = 8080;
    private static final int SMPP = 2775;
    private static final int MANAGEMENT = 9090;
    private static final Duration WITHIN = Duration.ofSeconds(5);
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String BASIC =
            "Basic " + Base64.getEncoder().encodeToString(("client:" + PASSWORD).getBytes(StandardCharsets.US_ASCII));

    private final String volume;

    Gateway(String name, String ip, Network network, String volume, List<String> arguments) {
        super(
                name,
                ip,
                network,
                List.of(new Bind(volume, new Volume("/app/georep-data"), AccessMode.rw)),
                HTTP,
                SMPP,
                MANAGEMENT);
        this.volume = volume;
        container()
                .withEnv("SMS_ACCOUNTS_CLIENT_PASSWORD", PASSWORD)
                .withEnv("SMS_OPERATOR_PASSWORD", PASSWORD)
                .withEnv("BIND_ADDRESS", "0.0.0.0")
                .withEnv("MANAGEMENT_ADDRESS", "0.0.0.0")
                .withEnv("JAVA_TOOL_OPTIONS", JVM + " -XX:SharedArchiveFile=" + CLASSES)
                .withCommand(arguments.toArray(String[]::new));
    }

    /** The settings of a gateway; ports are the same in all containers. */
    static List<String> settings(String id, String ip, String seeds, String operator, int f) {
        return List.of(
                "--georep.node-id=" + id,
                "--georep.site=site-" + id,
                "--georep.host=0.0.0.0",
                "--georep.port=" + PEERS,
                "--georep.advertise=" + ip + ":" + PEERS,
                "--georep.seeds=" + seeds,
                "--georep.outboxes.sms.f=" + f,
                // Given up after four seconds instead of half a minute.
                "--georep.protocol.heartbeat=200ms",
                "--georep.protocol.heartbeat-away=500ms",
                "--georep.protocol.suspect-after=2s",
                "--georep.protocol.terminate-after=2s",
                "--georep.protocol.put-timeout=1500ms",
                "--server.port=" + HTTP,
                "--management.server.port=" + MANAGEMENT,
                "--management.endpoint.georep.access=unrestricted",
                "--sms.accounts.client.rate=0",
                "--sms.accounts.client.sessions-max=100",
                "--sms.smpp.port=" + SMPP,
                "--sms.operator.host=" + operator,
                // More than tests hold back at one gateway: each message is handed to a thread of its own.
                "--sms.operator.window=64",
                "--sms.operator.reconnect-max=500ms",
                // A message that the operator throttles is tried again soon.
                "--sms.operator.throttle-max=300ms",
                "--sms.operator.patience=10m");
    }

    String volume() {
        return volume;
    }

    /** What a client was answered. */
    record Answer(int status, String type, Duration after) {}

    /** Posts a message. */
    Answer post(Ledger ledger) {
        Ledger.Attempt attempt = ledger.open(name());
        String json = "{\"from\": \"GeoRep\", \"to\": \"+31201234567\", \"text\": \"" + attempt.text() + "\"}";
        long begin = System.nanoTime();
        try {
            HttpResponse<String> response = Http.post(uri(HTTP, "/messages"), json, BASIC);
            Duration after = Duration.ofNanos(System.nanoTime() - begin);
            JsonNode body = JSON.readTree(response.body());
            String type = body.path("type").asString("");
            switch (response.statusCode()) {
                case 202 -> ledger.acknowledged(attempt, body.path("id").asString(""));
                case 429, 503 -> ledger.refused(attempt);
                case 504 -> ledger.unknown(attempt);
                default -> ledger.fault("answer " + response.statusCode() + " " + response.body() + " to " + attempt);
            }
            return new Answer(response.statusCode(), type, after);
        } catch (IOException | IllegalStateException e) {
            ledger.unknown(attempt);
            return new Answer(0, e.toString(), Duration.ofNanos(System.nanoTime() - begin));
        }
    }

    /** Binds an SMPP client. */
    SmppClient bind() throws IOException {
        return SmppClient.bind(host(), port(SMPP), "client", PASSWORD, WITHIN);
    }

    /**
     * Submits a message over a session.
     *
     * @return SMPP's status, or -1 without an answer
     */
    int submit(Ledger ledger, SmppClient session) {
        Ledger.Attempt attempt = ledger.open(name());
        try {
            ledger.acknowledged(attempt, session.submit("GeoRep", "+31201234567", attempt.text()));
            return SMPPConstant.STAT_ESME_ROK;
        } catch (NegativeResponseException e) {
            if (e.getCommandStatus() == SMPPConstant.STAT_ESME_RTHROTTLED) {
                ledger.refused(attempt);
            } else {
                // SMPP has one status for "nothing was stored" and for "nobody knows".
                ledger.unknown(attempt);
            }
            return e.getCommandStatus();
        } catch (IOException e) {
            ledger.unknown(attempt);
            return -1;
        }
    }

    /** Whether it takes messages now. */
    boolean ready() {
        try {
            return Http.get(uri(MANAGEMENT, "/actuator/health/readiness")).statusCode() == 200;
        } catch (IOException | IllegalStateException e) {
            return false;
        }
    }

    /** What it believes about each of the others: ACTIVE, SCHRODINGER, TERMINATED … by name. */
    Map<String, String> peers() {
        Map<String, String> states = new TreeMap<>();
        for (JsonNode peer : read("peers")) {
            states.put(peer.path("id").asString(), peer.path("state").asString());
        }
        return states;
    }

    /** Names of those that it could give copies now. */
    List<String> selectable() {
        return read("peers")
                .valueStream()
                .filter(peer -> peer.path("selectable").asBoolean())
                .map(peer -> peer.path("id").asString())
                .toList();
    }

    /** Messages that wait here for being forwarded by this gateway. */
    long backlog() {
        return read("outboxes").path("sms").path("backlog").asLong();
    }

    /** Copies it keeps for others. */
    long copies() {
        return (long) meter("georep.copies");
    }

    /** Copies that are known to be missing elsewhere. */
    long shortOfCopies() {
        return (long) meter("georep.copies.short");
    }

    /** Messages of one gateway that this one adopted since its start. */
    long adoptedFrom(Gateway other) {
        return (long) meter("sms.adopted?tag=from:" + other.name());
    }

    /** Messages it adopted since its start. */
    long adopted() {
        return (long) meter("sms.adopted");
    }

    private JsonNode read(String part) {
        try {
            return JSON.readTree(
                    Http.get(uri(MANAGEMENT, "/actuator/georep/" + part)).body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Value of a meter; 0 while it has none. */
    private double meter(String name) {
        try {
            HttpResponse<String> response = Http.get(uri(MANAGEMENT, "/actuator/metrics/" + name));
            if (response.statusCode() == 404) {
                return 0;
            }
            JsonNode value =
                    JSON.readTree(response.body()).path("measurements").path(0).path("value");
            if (!value.isNumber()) {
                throw new IOException(name + " is " + value + " while the node does not answer");
            }
            return value.asDouble();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Gives an order about a gateway: drain, undrain, remove. */
    void order(Gateway about, String action) {
        try {
            HttpResponse<String> response = Http.post(
                    uri(MANAGEMENT, "/actuator/georep/peers/" + about.name()),
                    "{\"action\": \"" + action + "\"}",
                    BASIC);
            if (response.statusCode() != 200) {
                throw new IllegalStateException(action + " " + about.name() + ": " + response.body());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
