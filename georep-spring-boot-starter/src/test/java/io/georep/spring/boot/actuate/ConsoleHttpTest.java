package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.spring.OutboxListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The console of a running application, over HTTP. */
@Timeout(300)
class ConsoleHttpTest {
    private static final String TAG = "<script>alert(1)</script>";
    private static final String ENABLED = "georep.console.enabled=true";
    private static final int PAGES_MAX = 16;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static HttpNode node;

    static class Receiver {
        @OutboxListener("mail")
        void forward(String payload) {}
    }

    @BeforeAll
    static void start() {
        node = start("georep.node-id=n1", ENABLED, "georep.site=ams");
        node.outboxes().outbox(TAG, String.class);
        await().atMost(HttpNode.SOON).until(() -> state(node).get("items").has("queue/" + TAG));
    }

    private static HttpNode start(String... properties) {
        return new HttpNode(List.of(Receiver.class), properties);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static URI uri(HttpNode of, String path) {
        return URI.create("http://127.0.0.1:" + port(of, "local.server.port") + path);
    }

    private static int port(HttpNode of, String property) {
        return of.context.getEnvironment().getRequiredProperty(property, Integer.class);
    }

    private static <T> HttpResponse<T> send(URI uri, HttpResponse.BodyHandler<T> body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(HttpNode.SOON);
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return CLIENT.send(request.build(), body);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static HttpResponse<String> get(String path, String... headers) {
        return send(uri(node, path), HttpResponse.BodyHandlers.ofString(), headers);
    }

    private static int status(URI uri) {
        return send(uri, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    private static JsonNode state(HttpNode of) {
        return JSON.readTree(send(uri(of, "/georep/state"), HttpResponse.BodyHandlers.ofString())
                .body());
    }

    /** Reads events until there are so many. */
    private static List<JsonNode> events(InputStream stream, int count) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
        List<JsonNode> read = new ArrayList<>();
        while (read.size() < count) {
            String line = lines.readLine();
            assertThat(line).isNotNull();
            if (line.startsWith("data: ")) {
                read.add(JSON.readTree(line.substring("data: ".length())));
            }
        }
        return read;
    }

    private static HttpResponse<InputStream> open(HttpNode of) {
        return send(uri(of, "/georep/events"), HttpResponse.BodyHandlers.ofInputStream());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "management.endpoint.georep.access=none", "management.server.port=-1"})
    void isNotThereUnlessAskedForAndAllowed(String property) {
        try (HttpNode without =
                property.isEmpty() ? start("georep.node-id=n2") : start("georep.node-id=n2", ENABLED, property)) {
            for (String path : List.of("/georep", "/georep/", "/georep/state", "/georep/console.js")) {
                assertThat(status(uri(without, path))).as(path).isEqualTo(404);
            }
        }
    }

    @Test
    void isOnTheManagementPortIfThereIsOne() {
        try (HttpNode two = start("georep.node-id=n2", ENABLED, "management.server.port=0")) {
            URI own = URI.create("http://127.0.0.1:" + port(two, "local.management.port") + "/georep/state");

            assertThat(status(own)).isEqualTo(200);
            assertThat(status(uri(two, "/georep/state"))).isEqualTo(404);
        }
    }

    @Test
    void everyAnswerHasTheHeadersOfAPageThatTrustsNobody() {
        for (String path : List.of("/georep", "/georep/", "/georep/state", "/georep/console.js", "/georep/nothing")) {
            HttpResponse<String> answer = get(path);
            assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
                    .as(path)
                    .startsWith("default-src 'none'; script-src 'self'; style-src 'self';")
                    .contains("frame-ancestors 'none'", "require-trusted-types-for 'script'")
                    .doesNotContain("unsafe", "http", "data:");
            assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
            assertThat(answer.headers().firstValue("X-Frame-Options")).hasValue("DENY");
            assertThat(answer.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
        }
    }

    @Test
    void servesThePageAndNothingElse() {
        HttpResponse<String> page = get("/georep/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html;charset=UTF-8");
        assertThat(page.body()).contains("console.js");
        assertThat(get("/georep").headers().firstValue("Location")).hasValue("georep/");

        HttpResponse<String> script = get("/georep/console.js");
        assertThat(script.headers().firstValue("Content-Type")).hasValue("text/javascript;charset=UTF-8");
        String tag = script.headers().firstValue("ETag").orElseThrow();
        assertThat(get("/georep/console.js", "If-None-Match", tag).statusCode()).isEqualTo(304);
        assertThat(get("/georep/ConsoleServlet.class").statusCode()).isEqualTo(404);
        assertThat(node.post("../georep/state", "{}").status()).isEqualTo(405);
    }

    @Test
    void tellsWhatTheNodeKnows() {
        node.outboxes()
                .outbox("mail", String.class)
                .send("hello")
                .toCompletableFuture()
                .join();

        await().atMost(HttpNode.SOON).untilAsserted(() -> {
            JsonNode items = state(node).get("items");
            assertThat(items.at("/node/self/id").asString()).isEqualTo("n1");
            assertThat(items.at("/node/self/site").asString()).isEqualTo("ams");
            assertThat(items.get("queue/" + TAG).get("name").asString()).isEqualTo(TAG);
            assertThat(items.at("/node/store").asString()).isEqualTo("READY");
            JsonNode queue = items.get("queue/mail");
            assertThat(queue.at("/queue/statistics/acknowledged").asInt()).isPositive();
            assertThat(queue.at("/queue/statistics/forwarded").asInt()).isPositive();
            assertThat(queue.at("/queue/listener/running").asBoolean()).isTrue();
        });
    }

    @Test
    void sampleOfTheHistoryComesSoonAfterTheStart() {
        await().atMost(HttpNode.SOON)
                .untilAsserted(
                        () -> assertThat(JSON.readTree(get("/georep/history").body())
                                        .at("/series/backlog")
                                        .size())
                                .isPositive());
        await().atMost(HttpNode.SOON)
                .untilAsserted(() -> assertThat(
                                JSON.readTree(get("/georep/history?queue=mail").body())
                                        .at("/series/forwarded")
                                        .size())
                        .isPositive());
        assertThat(get("/georep/history?queue=nothing").statusCode()).isEqualTo(404);
    }

    @Test
    void updatesComeAtMostOncePerSecond() throws IOException {
        HttpResponse<InputStream> page = open(node);
        assertThat(page.headers().firstValue("Content-Type")).hasValue("text/event-stream;charset=UTF-8");
        try (InputStream stream = page.body()) {
            List<JsonNode> events = events(stream, 4);

            assertThat(events.get(0).get("items").has("queue/" + TAG)).isTrue();
            for (int i = 1; i < events.size(); i++) {
                double pause = events.get(i).get("at").asDouble()
                        - events.get(i - 1).get("at").asDouble();
                assertThat(pause).isGreaterThanOrEqualTo(0.999);
                assertThat(events.get(i).get("items").has("queue/" + TAG))
                        .as("what has not changed is not sent")
                        .isFalse();
            }
        }
    }

    /** What a page costs does not depend on how often it asks. */
    @Test
    void manyQuestionsWithinASecondGetOneAnswer() {
        JsonNode first = state(node);
        double last = first.get("at").asDouble();
        int looks = 0;
        double end = last + 2.5;
        while (last < end) {
            double at = state(node).get("at").asDouble();
            assertThat(at == last || at - last >= 0.999)
                    .as("%s after %s", at, last)
                    .isTrue();
            looks += at == last ? 0 : 1;
            last = at;
        }
        assertThat(looks).isPositive();
    }

    /** Where the web server, or a filter, takes the address of the sender from a header, anybody could write it. */
    @ParameterizedTest
    @ValueSource(strings = {"native", "framework"})
    void noHeaderMakesSomebodyLocal(String strategy) {
        try (HttpNode two = start("georep.node-id=n2", ENABLED, "server.forward-headers-strategy=" + strategy)) {
            assertThat(send(
                                    uri(two, "/georep/state"),
                                    HttpResponse.BodyHandlers.ofString(),
                                    "X-Forwarded-For",
                                    "127.0.0.1")
                            .statusCode())
                    .isEqualTo(403);
            HttpResponse<String> local = send(uri(two, "/georep/console.js"), HttpResponse.BodyHandlers.ofString());
            if (strategy.equals("framework")) {
                assertThat(local.statusCode()).as("the machine itself").isEqualTo(200);
            } else {
                assertThat(local.statusCode())
                        .as("Tomcat does not tell which it is")
                        .isEqualTo(403);
                assertThat(local.body()).contains("server.forward-headers-strategy=none");
            }
        }
    }

    @Test
    void updatesAreNotForPagesOfOtherSites() {
        assertThat(get("/georep/events", "Sec-Fetch-Site", "cross-site").statusCode())
                .isEqualTo(403);
    }

    @Test
    void thereAreSixteenPagesAtMost() throws IOException {
        try (HttpNode two = start("georep.node-id=n2", ENABLED)) {
            List<InputStream> pages = new ArrayList<>();
            for (int i = 0; i < PAGES_MAX; i++) {
                HttpResponse<InputStream> page = open(two);
                assertThat(page.statusCode()).isEqualTo(200);
                pages.add(page.body());
            }
            HttpResponse<String> tooMany = send(uri(two, "/georep/events"), HttpResponse.BodyHandlers.ofString());
            assertThat(tooMany.statusCode()).isEqualTo(503);
            assertThat(tooMany.body()).contains("16 pages are open");

            pages.get(0).close();
            await().atMost(HttpNode.SOON).until(() -> {
                HttpResponse<InputStream> again = open(two);
                pages.add(again.body());
                return again.statusCode() == 200;
            });
            for (InputStream page : pages) {
                page.close();
            }
        }
    }

    /** Otherwise the web server waits for them as long as a phase of the shutdown may take. */
    @Test
    void openPagesEndWithTheApplication() throws IOException {
        HttpNode two = start("georep.node-id=n2", ENABLED, "spring.lifecycle.timeout-per-shutdown-phase=10m");
        try (InputStream stream = open(two).body()) {
            events(stream, 1);

            two.close();

            assertThat(new String(stream.readAllBytes(), StandardCharsets.UTF_8))
                    .doesNotContain("event: state");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"})
    void aProxyOnThisMachineDoesNotMakeOthersLocal(String header) {
        HttpResponse<String> answer = get("/georep/state", header, "203.0.113.7");

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("you have not logged in", "ssh -L", "spring-boot-starter-security");
    }

    /** A page of another site can make its name lead to this machine. */
    @Test
    void anotherNameOfThisMachineIsRefused() throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port(node, "local.server.port"))) {
            socket.setSoTimeout((int) HttpNode.SOON.toMillis());
            socket.getOutputStream()
                    .write("GET /georep/state HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));

            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 403");
        }
    }

    @Test
    void theTimeLineTellsOfPeersAndDrains() {
        try (HttpNode one = start("georep.node-id=m1", ENABLED, "georep.host=127.0.0.1", "georep.port=0")) {
            try (HttpNode two = start(
                    "georep.node-id=m2",
                    "georep.host=127.0.0.1",
                    "georep.port=0",
                    "georep.seeds=" + one.node().identity().address())) {
                awaitEvent(one, "met", "m2");
                await().atMost(HttpNode.SOON)
                        .until(() -> state(one)
                                .get("items")
                                .at("/peer~1m2/state")
                                .asString()
                                .equals("ACTIVE"));

                one.node().drain(two.id());
                awaitEvent(one, "drained", "m2");
            }
            awaitEvent(one, "away", "m2");
        }
    }

    private static void awaitEvent(HttpNode at, String kind, String subject) {
        await().atMost(HttpNode.SOON)
                .until(() -> state(at)
                        .get("items")
                        .propertyStream()
                        .filter(item -> item.getKey().startsWith("event/"))
                        .map(item -> item.getValue())
                        .anyMatch(event -> event.get("kind").asString().equals(kind)
                                && event.get("subject").asString().equals(subject)));
    }
}
